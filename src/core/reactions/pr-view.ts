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
  line: number | null
}

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
  hasConflicts: boolean | null
}
