// A pull request as the reactions see it: only what may be passed on.

export interface FailedCheck {
  name: string
  url: string | null
  /** The end of its log; '' when the forge has none. */
  logTail: string
}

/** A review's verdict or one of its comments, by an author whose words may reach an agent. */
export interface RemarkView {
  id: string
  author: string
  isBot: boolean
  body: string
  path: string | null
  /** The first of several lines. */
  startLine?: number | null | undefined
  line: number | null
  /** The thread it belongs to, by the forge's name for it; null: it is not in one. */
  thread?: string | null | undefined
  /** What was written in the thread before, oldest first; `author` null: the agent itself. */
  earlier?: Array<{ author: string | null; body: string }> | undefined
}

/**
 * Why its pull request left the train: a car with it was red; it conflicts with what it would land on (`onto`, with the pull
 * requests in it that have not landed); it is built on pull requests that will not land; or the forge did not merge it or
 * threw it out of its own queue.
 */
export type LandingFailure =
  | { why: 'red'; check: string; commit: string; ahead: number[]; logTail: string }
  | { why: 'conflict'; files: string[]; onto?: { commit: string; pulls: number[] } | undefined }
  | { why: 'stranded'; commit: string; pulls: number[] }
  | { why: 'refused'; said: string }

export interface PrView {
  url: string
  number: number
  state: 'open' | 'merged' | 'closed'
  headSha: string
  ci: 'passing' | 'failing' | 'pending' | 'none'
  review: 'approved' | 'changes_requested' | 'pending' | 'none'
  failedChecks: FailedCheck[]
  /** Unresolved ones only. */
  remarks: RemarkView[]
  /** Ids of the requests for changes that this head has to answer; empty: the forge names none. */
  requests: string[]
  hasConflicts: boolean | null
  /** null: it did not leave the train with this head, or there is no train. */
  landing?: LandingFailure | null | undefined
}
