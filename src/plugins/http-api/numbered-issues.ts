// A tracker over the issues of a repository, which are numbered. "Does not exist" and "could not ask" are carefully distinguished.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { branchForIssue } from '../../core/session/name-branch.ts'
import { type IssueChange, IssueNotFoundError, type RecentComment } from '../../slots/tracker.ts'
import { hasStatus } from './http-api-error.ts'
import type { HostedTracker } from './per-project.ts'

export interface NumberedIssues<I extends { state: string }>
  extends Pick<HostedTracker, 'name' | 'checkAccess' | 'listIssues' | 'createIssue'> {
  /** null: the text names no issue of this project. */
  numberOf(issueId: string, project: ProjectConfig): number | null
  /** null: the number belongs to something else. */
  read(number: number, project: ProjectConfig): Promise<I | null>
  toIssue(issue: I, project: ProjectConfig): ReturnType<HostedTracker['getIssue']>
  change(issue: I, change: IssueChange, project: ProjectConfig): Promise<void>
  /** Addresses of those that have to be finished before this one. */
  readBlockers(number: number, project: ProjectConfig): Promise<string[]>
  /** `owner/name#7` for the address of an issue anywhere on this server; null: it is none. */
  nameOf(address: string): string | null
  /** Those that were written or changed since, also on what is no issue. */
  readComments(since: string, project: ProjectConfig): Promise<FoundComment[]>
  /** Reads the repository itself. */
  probe(project: ProjectConfig): Promise<unknown>
  /** The page that lists its issues. */
  pageOf(project: ProjectConfig): string
  /** What the forge calls it, and its name: `The repository owner/name`. */
  describe(project: ProjectConfig): { what: string; name: string }
  /** How to check the token. */
  hint: string
}

export interface FoundComment {
  id: number
  /** What it is on: an address or a number. */
  on: string
  author: string
  body: string
  /** As the forge writes them. */
  createdAt: string
  updatedAt: string
}

export function numberedTracker<I extends { state: string }>(issues: NumberedIssues<I>): HostedTracker {
  const { name, checkAccess, listIssues, createIssue, numberOf } = issues
  const fetchOne = async (issueId: string, project: ProjectConfig): Promise<I> => {
    const number = numberOf(issueId, project)
    if (number === null) throw new IssueNotFoundError(issueId)
    try {
      const issue = await issues.read(number, project)
      if (issue !== null) return issue
    } catch (error) {
      if (!hasStatus(error, 404, 410)) throw error
      await requireVisible(issues, project)
    }
    throw new IssueNotFoundError(issueId, `There is no issue #${number} in ${issues.describe(project).name}`)
  }
  return {
    name,
    checkAccess,
    listIssues,
    createIssue,
    async recentComments(since, project) {
      const found = (await issues.readComments(since, project)).flatMap((one) => {
        const issue = numberOf(one.on, project)
        return issue === null ? [] : [toComment(one, issue)]
      })
      return found
        .filter(({ createdAt }) => createdAt > since)
        .sort((one, other) => one.createdAt.localeCompare(other.createdAt))
    },
    getIssue: async (issueId, project) => issues.toIssue(await fetchOne(issueId, project), project),
    isCompleted: async (issueId, project) => (await fetchOne(issueId, project)).state === 'closed',
    issueUrl: (issueId, project) =>
      `${issues.pageOf(project)}/${numberOf(issueId, project) ?? encodeURIComponent(issueId)}`,
    branchName(issueId, project) {
      const number = numberOf(issueId, project)
      return number === null ? branchForIssue(issueId) : `feat/issue-${number}`
    },
    async blockersOf(issueId, project) {
      const number = numberOf(issueId, project)
      const found = number === null ? [] : await issues.readBlockers(number, project).catch(orNoRelations)
      const named = found.flatMap((one) => {
        const own = numberOf(one, project)
        return own === null ? (issues.nameOf(one) ?? []) : String(own)
      })
      return [...new Set(named)]
    },
    updateIssue: async (issueId, change, project) => issues.change(await fetchOne(issueId, project), change, project),
  }
}

/** Forges count in seconds, and some touch a comment once more while they write it. */
const EDITED_MS = 1_000

function toComment({ id, author, body, createdAt, updatedAt }: FoundComment, issue: number): RecentComment {
  const written = new Date(createdAt)
  const isEdited = Date.parse(updatedAt) - written.getTime() >= EDITED_MS
  return { id: String(id), issueId: String(issue), author, body, createdAt: written.toISOString(), isEdited }
}

/** An older server, or one that has this switched off. */
export function orNoRelations(error: unknown): never[] {
  if (hasStatus(error, 404, 410)) return []
  throw error
}

/** Forges return 404 for everything in a repository that the token may not see: that is not "no such issue". */
async function requireVisible(
  { probe, describe, hint }: Pick<NumberedIssues<never>, 'probe' | 'describe' | 'hint'>,
  project: ProjectConfig,
): Promise<void> {
  try {
    await probe(project)
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
    const { what, name } = describe(project)
    throw new AoError('TRACKER_FAILED', `The ${what} ${name} does not exist, or the token may not see it`, {
      hint,
      cause: error,
    })
  }
}
