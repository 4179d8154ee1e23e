// What reviewers found, `reviews/{session of the reviewer}.json`: one small file for each commit that was read.
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSafeName } from '../contract/ids.ts'
import { type CommitReview, isReviewSubject, isSeverity } from '../contract/pull.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { createFileMemory } from '../lib/file-memory.ts'
import { withLock } from '../lib/lock.ts'
import { namesIn, readIfThere } from '../lib/plain-file.ts'
import { removeFile } from '../lib/remove.ts'

const MOST_REVIEWS = 200

export function reviewsDirectory(projectDir: string): string {
  return join(projectDir, 'reviews')
}

/** By directory: each change replaces a file in it. Every session with a pull request asks in every round. */
const memory = createFileMemory<readonly CommitReview[]>()

/** Oldest first. A file that cannot be read counts for nothing: no review is better than a wrong one. */
export function readReviews(projectDir: string): readonly CommitReview[] {
  const directory = reviewsDirectory(projectDir)
  const cached = memory.recall(directory)
  if (cached !== null) return cached
  const stats = lstatSync(directory, { throwIfNoEntry: false })
  const reviews = namesIn(directory)
    .flatMap((name) => (name.endsWith('.json') ? (readReview(projectDir, name.slice(0, -5)) ?? []) : []))
    .sort((one, other) => one.startedAt.localeCompare(other.startedAt))
  if (stats) memory.keep(directory, reviews, stats)
  return reviews
}

export function readReview(projectDir: string, reviewer: string): CommitReview | null {
  if (!isSafeName(reviewer)) return null
  try {
    const parsed: unknown = JSON.parse(readIfThere(fileOf(projectDir, reviewer)) ?? 'null')
    return isReview(parsed) ? { ...parsed, reviewer } : null
  } catch {
    return null
  }
}

/** `change` sees the review as it is under the lock, and throws what it refuses. */
export function changeReview(
  projectDir: string,
  reviewer: string,
  change: (review: CommitReview | null) => CommitReview,
): Promise<CommitReview> {
  const file = fileOf(projectDir, reviewer)
  mkdirSync(reviewsDirectory(projectDir), { recursive: true, mode: 0o700 })
  return withLock(`${file}.lock`, () => {
    const before = readReview(projectDir, reviewer)
    const after = change(before)
    writeFileAtomic(file, `${JSON.stringify(after, null, 2)}\n`)
    if (before === null) forgetOldest(projectDir)
    return after
  })
}

function forgetOldest(projectDir: string): void {
  for (const { reviewer } of readReviews(projectDir).slice(0, -MOST_REVIEWS)) removeFile(fileOf(projectDir, reviewer))
}

function fileOf(projectDir: string, reviewer: string): string {
  return join(reviewsDirectory(projectDir), `${reviewer}.json`)
}

function isReview(value: unknown): value is CommitReview {
  if (!isReviewSubject(value)) return false
  const { findings, startedAt, agent, summary, endedAt, failed } = value as Partial<CommitReview>
  return (
    typeof startedAt === 'string' &&
    typeof agent === 'string' &&
    [summary, endedAt, failed].every((one) => one === null || typeof one === 'string') &&
    Array.isArray(findings) &&
    findings.every(
      (one) =>
        typeof one?.text === 'string' &&
        isSeverity(one.severity) &&
        (one.file === null || typeof one.file === 'string') &&
        (one.line === null || Number.isSafeInteger(one.line)),
    )
  )
}
