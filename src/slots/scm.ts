// Where pull requests live: a forge. Reading is batched, never throws for one pull request, and says what it does not know.
import type { ProjectConfig } from '../contract/config.ts'
import type { HandIn, MergeMethod } from '../contract/forges.ts'
import type { Check, Pull, PullRef, PullState, Review, ReviewComment } from '../contract/pull.ts'
import type { MergeRules } from '../core/landing/merge-problem.ts'

/** Threads of reviews: comments on a line and the answers to it. */
export interface ReviewThreads {
  /** The forge itself records whether an agent or a person wrote; elsewhere a signature says so. */
  readonly recordsWriter?: boolean
  /** Adds a comment to the thread. */
  reply(pr: PullRef, reply: { thread: string; body: string }, project: ProjectConfig): Promise<void>
  /** Marks the thread as settled, or as open again. */
  resolve(pr: PullRef, change: { thread: string; resolved: boolean }, project: ProjectConfig): Promise<void>
}

/** `others`: further ones of the session, as far as the forge itself knows whose they are. */
export type PrReading =
  | { kind: 'read'; snapshot: Pull; others?: Pull[] | undefined }
  | { kind: 'none' }
  | { kind: 'unknown'; why: string }

export interface PrQuery {
  sessionId: string
  branch: string | null
  pr: PullRef | null
}

export interface PrFilter {
  state: 'open' | 'all'
  limit: number
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

export interface ExpectedMerge extends MergeRules {
  sha: string
  method?: MergeMethod | undefined
  /** Although the project has a train. Recorded with the merge, where the forge is ao's. */
  pastTrain?: boolean | undefined
  /** The message of the commit, where the forge takes one from here. */
  subject?: string | undefined
  body?: string | undefined
}

/** One line of the change, or several that end with `line`. */
export interface LineComment {
  path: string
  startLine?: number | undefined
  line: number
  body: string
}

export interface NewReview {
  state: 'approved' | 'changes_requested' | 'commented'
  body: string
  comments: readonly LineComment[]
  /** The head that was reviewed: the review is of this commit, and refused when it is no longer the head. */
  head: string
}

/** On the pull request as a whole, or on a line of the change. */
export interface NewComment extends Partial<Omit<LineComment, 'body'>> {
  body: string
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
  method?: MergeMethod | undefined
  /** What a person should know, such as a checkout that could not follow. */
  warnings?: string[] | undefined
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
export type QueueState = { state: 'queued' } | { state: 'none' } | { state: 'removed'; why: string }

/** What a train needs of a forge that is not on this machine. */
export interface ForgeLanding {
  readRules(project: ProjectConfig, method: MergeMethod): Promise<LandingRules>
  /** The end of the log of a check of that commit, bounded; '' when the forge has none. */
  readLog(commit: string, check: Check, project: ProjectConfig): Promise<string>
  /** Where it is in the forge's own queue, which it was put into at this moment (ISO 8601). */
  readQueue(pr: PullRef, project: ProjectConfig, since: string): Promise<QueueState>
  /** For a branch that the train pushed. null: it had one before, whatever happened to that. */
  openPull(request: NewPR, project: ProjectConfig): Promise<PullRef | null>
}

export interface Scm {
  readonly name: string
  /** How the addresses of its pull requests begin: host, port where it is unusual, repository; null: unknown. Never throws. */
  webAddress?(project: ProjectConfig): Promise<string | null>
  /** Absent: a train cannot run there. */
  readonly landing?: ForgeLanding
  /** Its branches are those of the project's repository: nothing has to be pushed or fetched. */
  readonly sharesRepository?: boolean
  /** It runs the project's gates itself, as checks of the head. */
  readonly runsGates?: boolean
  /** Its pull requests have no page but ao's. */
  readonly shownHere?: boolean
  /** Reading sends nothing over a network: everything may be read again at any moment. */
  readonly costsNothing?: boolean
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
  getPRState(pr: PullRef, project: ProjectConfig): Promise<PullState>
  /** Resolves a number, `#n` or URL to a pull request. */
  resolvePR?(reference: string, project: ProjectConfig): Promise<PullRef>
  /**
   * Opens a pull request for a pushed branch, where agents have no command to do it. null: the forge does not have the
   * branch, or already had a pull request for it, whatever happened to that.
   */
  openPR?(request: NewPR, project: ProjectConfig): Promise<PullRef | null>
  /** Switches the workspace to the pull request's branch. false: it was already on it. */
  checkoutPR?(pr: PullRef, workspacePath: string, project: ProjectConfig): Promise<boolean>
  /** One call for all sessions of a project; keyed by session id. Never throws: what could not be read is `unknown`. */
  readPullRequests?(queries: PrQuery[], project: ProjectConfig): Promise<Map<string, PrReading>>
  /** The checks of exactly this commit, whether it is a head or not. */
  readChecks?(commit: string, project: ProjectConfig): Promise<Check[]>
  /** The end of a failed check's log, bounded; '' when the forge has none. */
  getCheckLog?(pr: PullRef, check: Check, project: ProjectConfig, bytes?: number): Promise<string>
  /** Ways of merging that a person may choose from, the configured one first. */
  readonly mergeMethods?: readonly MergeMethod[]
  /** Merges exactly this head commit, in the configured way unless another is given; refuses when the head has moved. */
  mergePR?(pr: PullRef, expected: ExpectedMerge, project: ProjectConfig): Promise<MergedPR>
  /** Its change is for this branch from now on. Doing it again changes nothing. */
  retargetPR?(pr: PullRef, base: string, project: ProjectConfig): Promise<void>
  closePR?(pr: PullRef, project: ProjectConfig): Promise<void>
  reopenPR?(pr: PullRef, project: ProjectConfig): Promise<void>
  /** Newest first, at most `limit`. Throws when the forge cannot be asked. */
  listPRs?(filter: PrFilter, project: ProjectConfig): Promise<Pull[]>
  reviewPR?(pr: PullRef, review: NewReview, project: ProjectConfig): Promise<Review>
  commentPR?(pr: PullRef, comment: NewComment, project: ProjectConfig): Promise<ReviewComment>
  /** The commits between which its change is, in the project's repository: fetched where they are missing. */
  readRange?(pull: Pull, project: ProjectConfig): Promise<{ from: string; to: string }>
  /** Runs the checks that are due and waits for those that run. Absent: the forge runs them by itself. */
  runChecks?(pr: PullRef, project: ProjectConfig, onProgress: (text: string) => void): Promise<void>
  /** Has the failed checks of its head run again. Throws when none can be. Absent: on the forge's own page only. */
  rerunChecks?(pull: Pull, project: ProjectConfig): Promise<void>
  /** Throws when the signature is wrong or missing; null for an irrelevant event. */
  parseWebhook?(request: WebhookRequest, secret: string): WebhookEvent | null
}
