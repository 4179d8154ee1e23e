// Which pull request is meant, and that it is the project's own: a number alone could be any repository's.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { PullRef } from '../../contract/pull.ts'

/** How one forge calls its pull requests. */
export interface PullNames {
  noun: 'pull request' | 'merge request'
  sign: '#' | '!'
  /** The repository, `owner/name`. */
  repoOf(project: ProjectConfig): string
  /** In a number, a short reference or an address. null: none of this project. */
  numberIn(text: string, project: ProjectConfig): number | null
}

/** null: its address or its owner names another repository, or it contradicts its number. */
export function ownNumber(names: PullNames, pr: PullRef, project: ProjectConfig): number | null {
  // The owner may begin with the path of a server that is not at the root of its host: it was read from an address alone.
  const named = `/${pr.owner}/${pr.repo}`.toLowerCase()
  const isOther = pr.repo !== undefined && !named.endsWith(`/${names.repoOf(project).toLowerCase()}`)
  const number = isOther ? null : names.numberIn(pr.url, project)
  return pr.number === undefined || pr.number === number ? number : null
}

export function requireNumber(names: PullNames, pr: PullRef, project: ProjectConfig): number {
  const number = ownNumber(names, pr, project)
  if (number !== null) return number
  const repo = names.repoOf(project)
  throw new AoError('SCM_FAILED', `${pr.url} is not a ${names.noun} of ${repo}`, {
    hint: `If the repository was moved, change projects.${project.id}.repo in agent-orchestrator.yaml`,
    details: { pr: pr.url, repo },
  })
}

/** `Pull request #4`. */
export function titleOf({ noun, sign }: PullNames, number: number): string {
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${sign}${number}`
}
