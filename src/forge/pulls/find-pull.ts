// Which pull request is meant: a number, `#n`, its URL, or its branch.
import type { PullRef } from '../../contract/pull.ts'
import { dataHash } from '../../store/paths.ts'
import type { LocalForge } from '../types.ts'
import type { LocalPull } from './pull-events.ts'
import { pullNotFound } from './pull-store.ts'

export function requirePull(forge: LocalForge, reference: string): LocalPull {
  const number = pullNumber(forge, reference)
  const pull = number === null ? findByBranch(forge.pulls.list(), reference) : forge.pulls.read(number)
  if (pull === null) throw pullNotFound(reference)
  return pull
}

/** A pull request of this project only: another forge's URL matches nothing here. null: the text is something else. */
export function pullNumber(forge: LocalForge, reference: string): number | null {
  const digits = /^#?([1-9][0-9]{0,8})$/.exec(reference.trim())?.[1]
  if (digits !== undefined) return Number(digits)
  const [, repository, projectId, number] = ADDRESS.exec(reference.trim()) ?? []
  const { configDir, dataDir } = forge.context
  // On a page that several repositories share, each has an address of its own.
  if (repository !== undefined && repository !== dataHash(configDir, dataDir)) return null
  return projectId === forge.project.id ? Number(number) : null
}

const ADDRESS = /^https?:\/\/[^/]+(?:\/r\/([0-9a-f]+))?\/projects\/([^/]+)\/pull\/([1-9][0-9]{0,8})\/?(?:[?#].*)?$/

/** The open one of this branch; else null: a reused branch has nothing to do with older ones. */
export function findOpenByBranch(pulls: readonly LocalPull[], branch: string): LocalPull | null {
  return pulls.findLast((pull) => pull.head === branch && pull.state === 'open') ?? null
}

/** For people, who may also mean a closed or merged one. */
export function findByBranch(pulls: readonly LocalPull[], branch: string): LocalPull | null {
  return findOpenByBranch(pulls, branch) ?? pulls.findLast((pull) => pull.head === branch) ?? null
}

export function toPrInfo(pull: LocalPull, projectId: string): PullRef & { number: number } {
  return {
    url: pull.url,
    number: pull.number,
    title: pull.title,
    owner: 'projects',
    repo: projectId,
    branch: pull.head,
    baseBranch: pull.base,
    isDraft: pull.draft,
  }
}
