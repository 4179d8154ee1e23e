// On GitHub a number is either an issue or a pull request. Here both may have it, so reading shows both, and writing needs
// to know which.

import { trackerOf } from '../../../../cli/ao/pr/open-forge.ts'
import type { Io } from '../../../../cli/io.ts'
import { editIssue, type IssueEdit } from '../../../../forge/issues/edit-issue.ts'
import type { LocalIssue } from '../../../../forge/issues/issue-file.ts'
import type { LocalIssueStore } from '../../../../forge/issues/issue-store.ts'
import type { LocalPull } from '../../../../forge/pulls/pull-events.ts'
import { isLocalTracker } from '../../../../forge/types.ts'
import { localAuthor } from '../../../../inside/local-author.ts'
import type { Gh } from '../../../open-gh.ts'
import { ApiError, notFound, notHere } from '../../answer.ts'

/** null: the issues of this project are elsewhere. */
export async function issueStore(gh: Gh): Promise<LocalIssueStore | null> {
  if ((gh.project.tracker ?? gh.config.plugins.tracker?.name) === undefined) return null
  const tracker = await trackerOf(gh)
  return isLocalTracker(tracker) ? tracker.issues(gh.project) : null
}

export async function requireIssueStore(gh: Gh): Promise<LocalIssueStore> {
  const store = await issueStore(gh)
  if (store !== null) return store
  throw notHere('the issues of this project are not kept by ao: use the command of its tracker')
}

export interface Numbered {
  issue: LocalIssue | null
  pull: LocalPull | null
}

/** At least one of the two. */
export async function findNumbered(gh: Gh, number: number): Promise<Numbered> {
  const store = await issueStore(gh)
  const [issue, pull] = [(await store?.read(number)) ?? null, gh.forge.pulls.read(number)]
  if (issue === null && pull === null) throw notFound(`There is no issue or pull request ${number}`)
  return { issue, pull }
}

export async function requireOne(gh: Gh, number: number): Promise<LocalIssue | LocalPull> {
  const { issue, pull } = await findNumbered(gh, number)
  if (issue !== null && pull !== null)
    throw new ApiError(
      409,
      `issue ${number} and pull request ${number} both exist here, and it is not clear which is meant; use gh issue … ${number} or gh pr … ${number}`,
    )
  return issue ?? pull!
}

export function isPull(one: LocalIssue | LocalPull): one is LocalPull {
  return 'headSha' in one
}

export async function changeNumberedIssue(
  gh: Gh,
  number: number,
  edit: (issue: LocalIssue) => IssueEdit,
  io: Io,
): Promise<LocalIssue> {
  const [by, now] = [localAuthor(io.env), io.clock.now().toISOString()]
  const store = await requireIssueStore(gh)
  const after = await store.update(number, (issue) => editIssue(issue, edit(issue), { by, now }))
  if (after !== null) return after
  throw notFound(`There is no issue ${number}`)
}
