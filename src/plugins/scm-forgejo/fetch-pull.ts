// Single pull requests; checks that the one meant is the project's own.

import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PullRef, PullState } from '../../contract/pull.ts'
import { apiPathOf, type ForgejoClient } from '../forgejo-api/forgejo-client.ts'
import { isSameRepository, parseReference, repositoryOf } from '../github-api/repository-name.ts'
import { hasStatus } from '../http-api/http-api-error.ts'
import type { ForgejoPull } from './forgejo-data.ts'

/** null: it belongs to another repository, or nothing names a number. */
export function numberInProject(pr: PullRef, project: ProjectConfig, webUrl: string): number | null {
  const reference = parseReference(pr.url, 'pull', webUrl)
  if (reference === null || !isSameRepository(reference, repositoryOf(project))) return null
  return pr.number === undefined || pr.number === reference.number ? reference.number : null
}

/** The path of the API about this pull request. */
export function pullPath(pr: PullRef, project: ProjectConfig, webUrl: string): string {
  const number = numberInProject(pr, project, webUrl)
  if (number !== null) return `${apiPathOf(project)}/pulls/${number}`
  throw new AoError('SCM_FAILED', `${pr.url} is not a pull request of ${project.repo}`, {
    hint: `If the repository was moved, change projects.${project.id}.repo in agent-orchestrator.yaml`,
    details: { pr: pr.url },
  })
}

export async function fetchPull(client: ForgejoClient, path: string): Promise<ForgejoPull> {
  try {
    return (await client.call<ForgejoPull>(path)).data
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
    const number = path.slice(path.lastIndexOf('/') + 1)
    throw new AoError('SCM_FAILED', `There is no pull request #${number} in this repository`, {
      hint: 'If it is there, the token may not see it: check FORGEJO_TOKEN',
      details: { number, status: 404 },
      cause: error,
    })
  }
}

export async function resolvePull(client: ForgejoClient, reference: string, project: ProjectConfig): Promise<PullRef> {
  const parsed = parseReference(reference, 'pull', client.webUrl)
  if (parsed === null || !isSameRepository(parsed, repositoryOf(project))) {
    throw new AoError('USAGE', `${JSON.stringify(reference)} names no pull request of ${project.repo}`, {
      hint: 'Give its number, #number or URL',
    })
  }
  return toPrInfo(await fetchPull(client, `${apiPathOf(project)}/pulls/${parsed.number}`), project)
}

export function toPrInfo(pull: ForgejoPull, project: ProjectConfig): PullRef & { number: number } {
  return {
    url: pull.html_url,
    number: pull.number,
    title: pull.title,
    ...repositoryOf(project),
    branch: pull.head.ref,
    ...(pull.head.repo_id !== pull.base.repo_id && { isFork: true }),
    baseBranch: pull.base.ref,
    isDraft: pull.draft ?? false,
  }
}

export function stateOf({ merged, state }: ForgejoPull): PullState {
  return merged ? 'merged' : state
}
