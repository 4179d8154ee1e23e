// A pull request, in four shapes and no fifth: which one it is (`PullRef`), what its forge says about it (`Pull`), what a
// session's record keeps of that (`PullFacts`), and what a card shows (`PullCard`). And what a reviewer found in one of its commits.
// Nothing of zod is loaded with it: every list of sessions needs this file.
import type * as z from 'zod/mini'
import type { pullCard } from './dashboard/cards.ts'

export interface PullRef {
  url: string
  number?: number | undefined
  title?: string | undefined
  owner?: string | undefined
  repo?: string | undefined
  branch?: string | undefined
  /** That branch is in another repository, where anybody names it as they like. */
  isFork?: boolean | undefined
  baseBranch?: string | undefined
  isDraft?: boolean | undefined
  /** Whose work it is, where that is known; null: no session's. */
  session?: string | null | undefined
}

export type PullState = 'open' | 'merged' | 'closed'

export interface Check {
  id: string
  name: string
  status: 'pending' | 'running' | 'passed' | 'failed' | 'skipped'
  url?: string | undefined
  /** A rule over the change: cars of a train do not ask it again. */
  isRule?: boolean | undefined
  /** How long it took, once it has ended; absent: the forge does not say. */
  ranMs?: number | undefined
  /** For people: where it ran, or why it cannot run now. */
  note?: string | undefined
  /** It failed first, and passed on its second run on the same commit. */
  isFlaky?: true | undefined
  /** What it found out about the change beside passing or failing. */
  finding?: CheckFinding | undefined
}

export interface FoundText {
  verdict: 'witnessed' | 'unproven' | 'weakened' | 'red' | 'none' | 'covered' | 'uncovered'
  text: string
}

export interface CheckFinding extends FoundText {
  /** Where, and what is there. */
  marks: CheckMark[]
}

export interface CheckMark {
  path: string
  line: number
  /** The last line of a range. */
  to?: number | undefined
  /** The line is one of the commit that the change started from. */
  isOld?: true | undefined
  text: string
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
  url: string
  state: 'open' | 'merged' | 'closed'
  ci: 'passing' | 'failing' | 'pending' | 'none'
  review: 'approved' | 'changes_requested' | 'pending' | 'none'
  /** No conflicts, not a draft, nothing else in the way. null: the forge has not said yet. */
  mergeable: boolean | null
  /** Nobody is asked for a review yet. Absent: it is not a draft. */
  isDraft?: true | undefined
  /** Why it left the train with this head, in words. Absent: it did not, or there is no train. */
  left?: string | undefined
  /** Why it does not move although it conflicts, in words: it waits for its turn. */
  waits?: string | undefined
  /** It is in the base branch, and no merge that ao knows of brought it there. */
  byHand?: true | undefined
  /** What checks found out about the change of this head. */
  findings?: FoundText[] | undefined
  /** When people gave their verdicts, and when it was opened, as ISO 8601. */
  reviewed?: string[] | undefined
  opened?: string | undefined
  branch?: string | undefined
  /** The branch that it is for, where that is not the project's default branch. */
  base?: string | undefined
  /** The workspace of the session has been on its branch: whoever named it, it is the session's own. */
  isOwn?: true | undefined
  /** Title and head of one that is not the record's `pr`, for which there are keys. */
  title?: string | undefined
  head?: string | undefined
}

/** On the card of its session, and the beginning of a row in the list of pull requests. */
export type PullCard = z.infer<typeof pullCard>

// A second pair of eyes: an agent reads exactly one commit of a pull request, and what it found is data.

/** From the least to the worst. */
export const SEVERITIES = ['note', 'minor', 'major', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Finding {
  /** null: about the change as a whole. */
  file: string | null
  line: number | null
  severity: Severity
  text: string
}

/** What a reviewer was given to read. In the record of its session. */
export interface ReviewSubject {
  /** The session whose work it is. */
  session: string
  pull: string
  number: number
  /** The commit that is read. */
  head: string
  /** Where its change starts. */
  from: string
  /** The n-th review of this pull request. */
  round: number
}

export interface CommitReview extends ReviewSubject {
  /** The session of the reviewer. */
  reviewer: string
  agent: string
  startedAt: string
  findings: Finding[]
  /** In the reviewer's words; null: it said nothing. */
  summary: string | null
  /** null: it is not over. */
  endedAt: string | null
  /** Why it ended without a result; null: it has one, or is not over. */
  failed: string | null
}

export function isReviewSubject(value: unknown): value is ReviewSubject {
  const { session, pull, number, head, from, round } = (value ?? {}) as Partial<ReviewSubject>
  return (
    [session, pull, head, from].every((one) => typeof one === 'string') &&
    [number, round].every((one) => Number.isSafeInteger(one))
  )
}

/** What reviewers read in: one commit, and no way back into the repository. */
export const READING_WORKSPACE = 'read-only'

export function isSeverity(word: string): word is Severity {
  return (SEVERITIES as readonly string[]).includes(word)
}

/** Findings of this severity or worse. */
export function findingsFrom(findings: readonly Finding[], severity: Severity): Finding[] {
  return findings.filter((one) => SEVERITIES.indexOf(one.severity) >= SEVERITIES.indexOf(severity))
}

/** `src/a.ts:3`; the change as a whole has no place. */
export function whereOf({ file, line }: Pick<Finding, 'file' | 'line'>): string {
  if (file === null) return 'on the whole'
  return line === null ? file : `${file}:${line}`
}
