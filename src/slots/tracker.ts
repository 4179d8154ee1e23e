// Where issues live.
import type { ProjectConfig } from '../contract/config.ts'
import type { AccessReport } from './scm.ts'

export interface Issue {
  id: string
  title: string
  description: string
  url: string
  state: 'open' | 'in_progress' | 'closed' | 'cancelled'
  labels: string[]
  assignee?: string | undefined
  /** All of them, if there are several; the first is `assignee`. */
  assignees?: string[] | undefined
  priority?: number | undefined
  /** A branch name suggested by the tracker itself. */
  branchName?: string | undefined
  /** The author's login, named in the fence around the text. */
  author?: string | undefined
  /** false: somebody from outside the repository. undefined: the tracker does not say. */
  authorIsMember?: boolean | undefined
  /** ISO 8601 */
  createdAt?: string | undefined
  /** ISO 8601; for a closed one, if the tracker reports it. */
  closedAt?: string | undefined
  /** In order, if the tracker returns them with the issue. */
  comments?: IssueComment[] | undefined
}

export interface IssueComment {
  author: string
  body: string
  /** ISO 8601 */
  createdAt: string
}

export interface RecentComment extends IssueComment {
  /** Stays the same when it is edited. */
  id: string
  issueId: string
  /** Its text is no longer the one that was written at `createdAt`, and on some trackers somebody else can have changed it. */
  isEdited?: boolean | undefined
}

export interface IssueFilter {
  state?: 'open' | 'closed' | 'all' | undefined
  labels?: string[] | undefined
  assignee?: string | undefined
  limit?: number | undefined
}

export interface NewIssue {
  title: string
  description: string
  labels?: string[] | undefined
  assignee?: string | undefined
}

export interface IssueChange {
  title?: string | undefined
  description?: string | undefined
  state?: 'open' | 'in_progress' | 'closed' | undefined
  labels?: string[] | undefined
  removeLabels?: string[] | undefined
  assignee?: string | undefined
  comment?: string | undefined
}

/** "There is no such issue", as opposed to "I could not ask": only the first lets a spawn continue. */
export class IssueNotFoundError extends Error {
  readonly issueId: string
  constructor(issueId: string, message = `Issue not found: ${issueId}`) {
    super(message)
    this.name = 'IssueNotFoundError'
    this.issueId = issueId
  }
}

export function isIssueNotFoundError(error: unknown): boolean {
  return error instanceof Error && error.name === 'IssueNotFoundError'
}

export interface Tracker {
  readonly name: string
  /** It records whether an agent or a person wrote a comment; elsewhere a signature says so. */
  readonly recordsWriter?: boolean
  /** Queries the tracker once about token and project. Never throws. */
  checkAccess?(project: ProjectConfig): Promise<AccessReport>
  /** Throws IssueNotFoundError when the tracker answered that there is none. */
  getIssue(issueId: string, project: ProjectConfig): Promise<Issue>
  isCompleted(issueId: string, project: ProjectConfig): Promise<boolean>
  issueUrl(issueId: string, project: ProjectConfig): string | Promise<string>
  branchName(issueId: string, project: ProjectConfig): string | Promise<string>
  /** The issue as context for a prompt; the caller fences it as untrusted text. */
  generatePrompt(issue: Issue, project: ProjectConfig): string
  /** Ids of issues that have to be finished first, where the tracker keeps such relations; of another repository: `owner/name#7`. */
  blockersOf?(issueId: string, project: ProjectConfig): Promise<string[]>
  /** On issues, newer than this, oldest first: one request, whatever the number of issues. */
  recentComments?(since: string, project: ProjectConfig): Promise<RecentComment[]>
  listIssues?(filter: IssueFilter, project: ProjectConfig): Promise<Issue[]>
  createIssue?(issue: NewIssue, project: ProjectConfig): Promise<Issue>
  updateIssue?(issueId: string, change: IssueChange, project: ProjectConfig): Promise<void>
}
