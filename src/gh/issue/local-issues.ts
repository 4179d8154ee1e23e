// Issues that ao keeps, for `gh api`. On GitHub a number is either an issue or a pull request. Here both may have it, so reading shows
// both, and writing needs to know which.
import { trackerOf } from '../../cli/ao/pr/open-forge.ts'
import type { Io } from '../../cli/print/io.ts'
import type { Pull } from '../../contract/pull.ts'
import { editIssue, type IssueEdit } from '../../forge/issues/edit-issue.ts'
import type { LocalIssue, LocalIssueStore } from '../../forge/issues/issue-store.ts'
import { requireNames } from '../../forge/pulls/name-list.ts'
import { isLocalTracker } from '../../forge/types.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { ApiError, notFound, notHere } from '../api/answer.ts'
import { type Gh, readPull, refuseStarting } from '../open-gh.ts'

/** null: the issues of this project are elsewhere. */
export async function issueStore(gh: Gh): Promise<LocalIssueStore | null> {
  if ((gh.project.tracker ?? gh.config.plugins.tracker?.name) === undefined) return null
  const tracker = await trackerOf(gh)
  return isLocalTracker(tracker) ? tracker.issues(gh.project) : null
}

async function requireIssueStore(gh: Gh): Promise<LocalIssueStore> {
  const store = await issueStore(gh)
  if (store !== null) return store
  throw notHere('the issues of this project are not kept by ao: use the command of its tracker')
}

export interface Numbered {
  issue: LocalIssue | null
  pull: Pull | null
}

/** At least one of the two. */
export async function findNumbered(gh: Gh, number: number): Promise<Numbered> {
  const store = await issueStore(gh)
  const [issue, pull] = [(await store?.read(number)) ?? null, await readPull(gh, number)]
  if (issue === null && pull === null) throw notFound(`There is no issue or pull request ${number}`)
  return { issue, pull }
}

/** Exactly one of the two; null: it is the issue. */
export async function pullAmong(gh: Gh, number: number): Promise<Pull | null> {
  const { issue, pull } = await findNumbered(gh, number)
  if (issue !== null && pull !== null)
    throw new ApiError(
      409,
      `issue ${number} and pull request ${number} both exist here, and it is not clear which is meant; use gh issue … ${number} or gh pr … ${number}`,
    )
  return pull
}

export interface NewLocalIssue {
  title: string
  body: string
  labels: readonly string[]
  assignees: readonly string[]
}

export async function createLocalIssue(gh: Gh, issue: NewLocalIssue, io: Io): Promise<LocalIssue> {
  refuseStarting(gh.project, { add: issue.labels }, io)
  gh.claim()
  return (await requireIssueStore(gh)).create({
    title: issue.title.replace(/\s+/g, ' ').trim(),
    body: issue.body,
    author: localAuthor(io.env),
    labels: requireNames(issue.labels),
    assignees: requireNames(issue.assignees),
  })
}

export async function changeLocalIssue(
  gh: Gh,
  number: number,
  edit: (issue: LocalIssue) => IssueEdit,
  io: Io,
): Promise<LocalIssue> {
  const [by, now] = [localAuthor(io.env), io.clock.now().toISOString()]
  const store = await requireIssueStore(gh)
  const after = await store.update(number, (issue) => {
    const wanted = edit(issue)
    refuseStarting(gh.project, { add: wanted.labels?.add ?? [], has: issue.labels }, io)
    return editIssue(issue, wanted, { by, now })
  })
  if (after !== null) return after
  throw notFound(`There is no issue ${number}`)
}
