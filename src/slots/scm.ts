// Where pull requests live: a forge. Reading is batched, never throws for one pull request, and says what it does not know.
import type { ProjectConfig } from '../contract/config.ts'
import type { HandIn, MergeMethod } from '../contract/forges.ts'
import type { PRInfo } from '../contract/session.ts'

export type PRState = 'open' | 'merged' | 'closed'

export interface Check {
  id: string
  name: string
  status: 'pending' | 'running' | 'passed' | 'failed' | 'skipped'
  url?: string | undefined
  /** For people: where it ran, or why it cannot run now. */
  note?: string | undefined
}

/** Who wrote something, and whether it may be passed on to an agent. */
export interface Author {
  login: string
  isBot: boolean
  /** Owner, member or collaborator of the repository. */
  isMember: boolean
}

export interface ReviewComment {
  id: string
  /** The review it was submitted with; comments of one review are sent as one message. */
  reviewId: string | null
  author: Author
  body: string
  path?: string | undefined
  /** The first of several lines; they end with `line`. */
  startLine?: number | undefined
  line?: number | undefined
  /** The commit whose lines these are; absent: the forge does not say. */
  commit?: string | undefined
  url?: string | undefined
  /** The thread it belongs to, by the forge's name for it; absent: it is not in one. */
  thread?: string | undefined
  /** It answers an earlier comment of its thread. */
  isReply?: boolean | undefined
  /** An agent wrote it with ao. */
  isAgent?: boolean | undefined
  /** The session's own words, as far as is known: people see them, the agent does not hear them again. */
  isOwn?: boolean | undefined
  /** Its lines have changed since; where the forge says so. */
  isOutdated?: boolean | undefined
  isResolved: boolean
  createdAt: string
}

/** Threads of reviews: comments on a line and the answers to it. */
export interface ReviewThreads {
  /** The forge itself records whether an agent or a person wrote; elsewhere a signature says so. */
  readonly recordsWriter?: boolean
  /** Adds a comment to the thread. */
  reply(pr: PRInfo, reply: { thread: string; body: string }, project: ProjectConfig): Promise<void>
  /** Marks the thread as settled, or as open again. */
  resolve(pr: PRInfo, change: { thread: string; resolved: boolean }, project: ProjectConfig): Promise<void>
}

export interface Review {
  id: string
  author: Author
  state: 'approved' | 'changes_requested' | 'commented' | 'dismissed'
  body: string
  /** The head commit it was given for. */
  commit: string | null
  submittedAt: string
}

/** Everything the loop needs to know about one pull request, read at one moment. */
export interface PrSnapshot {
  pr: PRInfo & { number: number }
  state: PRState
  headSha: string
  ci: 'passing' | 'failing' | 'pending' | 'none'
  checks: Check[]
  review: 'approved' | 'changes_requested' | 'pending' | 'none'
  reviews: Review[]
  comments: ReviewComment[]
  /** null: the forge has not computed it yet. */
  hasConflicts: boolean | null
  mergeable: boolean | null
  /** Names of checks that fail on the base branch too: not caused by this agent. */
  failingOnBase: string[]
  /** Absent: this forge has none. */
  labels?: string[] | undefined
  updatedAt: string
}

export type PrReading = { kind: 'read'; snapshot: PrSnapshot } | { kind: 'none' } | { kind: 'unknown'; why: string }

export interface PrQuery {
  sessionId: string
  branch: string | null
  pr: PRInfo | null
}

export interface WebhookRequest {
  headers: Record<string, string>
  /** The bytes as received: signatures cover these. */
  body: Buffer
}

/** An event is only a reason to check: it names what changed and is not trusted as fact. */
export interface WebhookEvent {
  deliveryId: string
  repo: string | null
  prNumber: number | null
  branch: string | null
  sha: string | null
}

export interface ExpectedMerge {
  sha: string
  method?: MergeMethod | undefined
}

export interface NewPR {
  branch: string
  title: string
  body: string
}

/** The answer of a forge or tracker to whether ao can work with a project there. */
export interface AccessReport {
  ok: boolean
  detail: string
  fix?: string | undefined
}

export interface MergedPR {
  commit: string | null
  /** It is not merged yet: it lands with the train, or the forge's own queue, when its turn comes. */
  boarded?: boolean | undefined
}

/** How the base branch of a project may be moved on a forge elsewhere. */
export interface LandingRules {
  /** The forge has a queue of its own for this branch: pull requests board that one. */
  hasQueue: boolean
  /** It moves through the forge's own merge only; nothing is pushed to it. */
  isProtected: boolean
  /** What the forge or the token does not allow; empty: nothing is in the way. */
  obstacles: string[]
}

/** none: it is not there, and was not removed since. */
export type QueuePlace = { state: 'queued' } | { state: 'none' } | { state: 'removed'; why: string }

/** What a train needs of a forge that is not on this machine. */
export interface ForgeLanding {
  readRules(project: ProjectConfig, method: MergeMethod): Promise<LandingRules>
  /** The checks of exactly this commit. */
  readChecks(commit: string, project: ProjectConfig): Promise<Check[]>
  /** The end of the log of a check of that commit, bounded; '' when the forge has none. */
  readLog(commit: string, check: Check, project: ProjectConfig): Promise<string>
  /** Where it is in the forge's own queue, which it was put into at this moment (ISO 8601). */
  readQueue(pr: PRInfo, project: ProjectConfig, since: string): Promise<QueuePlace>
  /** For a branch that the train pushed. null: it had one before, whatever happened to that. */
  openPull(request: NewPR, project: ProjectConfig): Promise<PRInfo | null>
}

export interface Scm {
  readonly name: string
  /** Absent: a train cannot run there. */
  readonly landing?: ForgeLanding
  /** Absent: threads are answered and settled on the forge's own page only. */
  readonly threads?: ReviewThreads
  /** How agents hand in their work here. */
  readonly handIn?: HandIn
  /** Queries the forge once about token and repository. Never throws. */
  checkAccess?(project: ProjectConfig): Promise<AccessReport>
  /** It has no command of its own for agents: `ao gh …` answers their `gh`. */
  readonly ghFacade?: boolean
  /**
   * The forge's own pending work, such as running CI; resolves when none is left. A concurrent call joins the running one.
   * Throws CONFIG_UNTRUSTED when that would run something without consent.
   */
  advance?(project: ProjectConfig, options?: { signal?: AbortSignal }): Promise<void>
  /** Directories whose change means news, for watching; empty or absent where news comes over the network. */
  watchPaths?(project: ProjectConfig): string[]
  getPRState(pr: PRInfo, project: ProjectConfig): Promise<PRState>
  /** Resolves a number, `#n` or URL to a pull request. */
  resolvePR?(reference: string, project: ProjectConfig): Promise<PRInfo>
  /**
   * Opens a pull request for a pushed branch, where agents have no command to do it. null: the forge does not have the
   * branch, or already had a pull request for it, whatever happened to that.
   */
  openPR?(request: NewPR, project: ProjectConfig): Promise<PRInfo | null>
  /** Switches the workspace to the pull request's branch. false: it was already on it. */
  checkoutPR?(pr: PRInfo, workspacePath: string, project: ProjectConfig): Promise<boolean>
  /** One call for all sessions of a project; keyed by session id. Never throws: what could not be read is `unknown`. */
  readPullRequests?(queries: PrQuery[], project: ProjectConfig): Promise<Map<string, PrReading>>
  /** The end of a failed check's log, bounded; '' when the forge has none. */
  getCheckLog?(pr: PRInfo, check: Check, project: ProjectConfig): Promise<string>
  /** Ways of merging that a person may choose from, the configured one first. */
  readonly mergeMethods?: readonly MergeMethod[]
  /** Merges exactly this head commit, in the configured way unless another is given; refuses when the head has moved. */
  mergePR?(pr: PRInfo, expected: ExpectedMerge, project: ProjectConfig): Promise<MergedPR>
  closePR?(pr: PRInfo, project: ProjectConfig): Promise<void>
  /** Throws when the signature is wrong or missing; null for an irrelevant event. */
  parseWebhook?(request: WebhookRequest, secret: string): WebhookEvent | null
}
