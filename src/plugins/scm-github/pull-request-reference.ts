// Which pull request is meant, and that it is the project's own: a number alone could be any repository's.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PullRef } from '../../contract/pull.ts'
import { isSameRepository, parseReference, type RepositoryName, repositoryOf } from '../github-api/repository-name.ts'

/** null: its URL or its owner names another repository, or nothing names a number. */
export function numberInProject(pr: PullRef, name: RepositoryName, webUrl: string): number | null {
  if (!isSameRepository(pr, name)) return null
  const fromUrl = parseReference(pr.url, 'pull', webUrl)
  if (fromUrl === null || !isSameRepository(fromUrl, name)) return null
  return pr.number === undefined || pr.number === fromUrl.number ? fromUrl.number : null
}

/** The parameters that every call about this pull request needs. */
export function targetOf(
  pr: PullRef,
  project: ProjectConfig,
  webUrl: string,
): RepositoryName & { pull_number: number } {
  const name = repositoryOf(project)
  const number = numberInProject(pr, name, webUrl)
  if (number !== null) return { ...name, pull_number: number }
  throw new AoError('SCM_FAILED', `${pr.url} is not a pull request of ${name.owner}/${name.repo}`, {
    hint: `If the repository was renamed, change projects.${project.id}.repo in agent-orchestrator.yaml`,
    details: { pr: pr.url, repo: `${name.owner}/${name.repo}` },
  })
}
