// A pull request, in four shapes and no fifth: which one it is (`PullRef`), what its forge says about it (`Pull`), what a
// session's record keeps of that (`PullFacts`), and what a card shows (`PullCard`).
import * as z from 'zod/mini'

export interface PullRef {
  url: string
  number?: number | undefined
  title?: string | undefined
  owner?: string | undefined
  repo?: string | undefined
  branch?: string | undefined
  baseBranch?: string | undefined
  isDraft?: boolean | undefined
}

export type PullState = 'open' | 'merged' | 'closed'

export interface Check {
  id: string
  name: string
  status: 'pending' | 'running' | 'passed' | 'failed' | 'skipped'
  url?: string | undefined
  /** A rule over the change: cars of a train do not ask it again. */
  isRule?: boolean | undefined
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
  /** Who resolved it last, where the forge says so. */
  resolvedBy?: string | undefined
  createdAt: string
  /** Only if it was edited. */
  updatedAt?: string | undefined
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
export interface Pull {
  pr: PullRef & { number: number }
  state: PullState
  headSha: string
  /** The commit of the base branch; null: there is none. Absent: the forge does not say. */
  baseSha?: string | null | undefined
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
  assignees?: string[] | undefined
  /** Whose review is requested and has not been given yet. */
  reviewers?: string[] | undefined
  body?: string | undefined
  /** null: whoever it was is gone. */
  author?: string | null | undefined
  /** The session whose agent opened it; null: a person. Absent: the forge does not say. */
  session?: string | null | undefined
  createdAt?: string | undefined
  updatedAt: string
  closedAt?: string | null | undefined
  /** Who merged or closed it, where the forge says so. */
  closedBy?: string | null | undefined
  mergeCommit?: string | null | undefined
  /** It was merged although the project has a train. */
  pastTrain?: boolean | undefined
  /** The base branch has it, and no merge of ao brought it there. */
  mergedOutside?: boolean | undefined
  /** Commits that were its head, oldest first, where the forge keeps them. */
  heads?: string[] | undefined
  /** Why the forge would refuse to merge it now; null: nothing is known to be in the way. Absent: it is judged by the rest. */
  mergeProblem?: string | null | undefined
}

/** In the record of its session. */
export interface PullFacts {
  state: 'open' | 'merged' | 'closed'
  ci: 'passing' | 'failing' | 'pending' | 'none'
  review: 'approved' | 'changes_requested' | 'pending' | 'none'
  /** No conflicts, not a draft, nothing else in the way. null: the forge has not said yet. */
  mergeable: boolean | null
  /** Nobody is asked for a review yet. Absent: it is not a draft. */
  isDraft?: true | undefined
  /** Why it left the train with this head, in words. Absent: it did not, or there is no train. */
  left?: string | undefined
  /** It is in the base branch, and no merge that ao knows of brought it there. */
  byHand?: true | undefined
}

/** On the card of its session, and the beginning of a row in the list of pull requests. */
export const pullCard = z.object({
  url: z.string(),
  number: z.nullable(z.int()),
  title: z.nullable(z.string()),
  state: z.enum(['open', 'merged', 'closed']),
  ci: z.enum(['passing', 'failing', 'pending', 'none', 'unknown']),
  review: z.enum(['approved', 'changes_requested', 'pending', 'none', 'unknown']),
  /** null: unknown. */
  hasConflicts: z.nullable(z.boolean()),
  /** The head that was last read; a merge names it. */
  headSha: z.nullable(z.string()),
})
export type PullCard = z.infer<typeof pullCard>
