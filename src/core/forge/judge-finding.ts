// What a reviewer says, before it is believed to be a finding; and what its findings mean for a gate. Pure.
import {
  type CommitReview,
  type Finding,
  findingsFrom,
  isSeverity,
  type Severity,
  whereOf,
} from '../../contract/pull.ts'
import { showHidden } from '../text/show-hidden.ts'
import { visibleText } from '../text/visible-text.ts'

export const MOST_FINDINGS = 50
export const LONGEST_TEXT = 2_000

export interface GivenFinding {
  file: string | undefined
  line: string | undefined
  severity: string | undefined
  text: string
}

/** Hidden characters are spelled out. A string: why it is not a finding. Whether there is such a line is for git to say. */
export function readFinding({ file, line, severity = 'minor', text }: GivenFinding): Finding | string {
  if (!isSeverity(severity)) return `${JSON.stringify(severity)} is not a severity: note, minor, major or critical`
  const shown = visibleText(text).trim()
  if (shown === '') return 'a finding needs a text'
  if (shown.length > LONGEST_TEXT) return `a finding may have ${LONGEST_TEXT} characters at most`
  if (line !== undefined && file === undefined) return '--line needs --file'
  if (line !== undefined && !/^[1-9][0-9]{0,7}$/.test(line)) return `${JSON.stringify(line)} is not a line`
  return { file: file ?? null, line: line === undefined ? null : Number(line), severity, text: shown }
}

/** null: nobody has finished a review of exactly this. */
export function reviewOf(
  reviews: readonly CommitReview[],
  { head, from }: { head: string; from: string },
): CommitReview | null {
  return (
    reviews.findLast((one) => one.head === head && one.from === from && one.endedAt !== null && one.failed === null) ??
    null
  )
}

/** What speaks against it, one line each. */
export function judgeFindings(review: CommitReview, severity: Severity): string[] {
  return findingsFrom(review.findings, severity).map(
    (one) => `${showHidden(whereOf(one))}: ${one.severity}: ${one.text.split('\n')[0]}`,
  )
}

export interface ReviewerFacts {
  /** Its review has a result, or came to nothing. */
  isOver: boolean
  /** Its session has ended. */
  hasEnded: boolean
  /** Its turn is over. */
  isIdle: boolean
  /** Milliseconds since it was last active, and since it was started. */
  silentMs: number
  ageMs: number
  /** The commit is still the head of the open pull request; null: unknown. */
  isHead: boolean | null
}

const LONGEST_MS = 60 * 60_000
/** It may be about to begin its next turn. */
const SILENT_MS = 60_000

/** Whether its session is ended now, and why its review came to nothing then. */
export function decideReviewer(facts: ReviewerFacts): { act: 'wait' } | { act: 'end'; failed: string | null } {
  if (facts.isOver) return { act: 'end', failed: null }
  if (facts.isHead === false) return { act: 'end', failed: 'the pull request has another head by now, or was closed' }
  if (facts.hasEnded) return { act: 'end', failed: 'its agent ended before the review did' }
  if (facts.isIdle && facts.silentMs > SILENT_MS)
    return { act: 'end', failed: 'its agent stopped without ending the review' }
  if (facts.ageMs > LONGEST_MS) return { act: 'end', failed: 'it took longer than an hour' }
  return { act: 'wait' }
}
