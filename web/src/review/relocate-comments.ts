// A push during a review moves lines: its comments move with the text they were written under. Pure.
import { commentLine } from '../diff/diff-comment.ts'
import type { DiffFile } from '../diff/parse-diff.ts'
import type { PendingComment, PendingReview } from './pending-review.ts'

/** The review for another head: a comment whose line is not found stays where it was and is marked. */
export function relocateReview(review: PendingReview, files: readonly DiffFile[], head: string): PendingReview {
  return { ...review, sha: head, comments: review.comments.map((comment) => relocate(comment, files)) }
}

/** The text of a line; null: the diff does not show it. */
export function textOfLine(files: readonly DiffFile[], path: string, line: number): string | null {
  return linesOf(files, path).find((one) => one.line === line)?.text ?? null
}

function relocate(comment: PendingComment, files: readonly DiffFile[]): PendingComment {
  const { path, line, text } = comment
  const same = linesOf(files, path).filter((one) => one.text === text)
  const nearest = same.sort((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line))[0]
  if (!nearest) return { ...comment, isLost: true }
  // Several lines move together.
  const startLine = comment.startLine ? Math.max(1, comment.startLine + nearest.line - line) : comment.startLine
  return { ...comment, startLine, line: nearest.line }
}

function linesOf(files: readonly DiffFile[], path: string): Array<{ line: number; text: string }> {
  const file = files.find((one) => one.path === path)
  return (file?.hunks ?? []).flatMap((hunk) =>
    hunk.lines.flatMap((one) => {
      const line = commentLine(file!, one)
      return line === null ? [] : [{ line, text: one.text }]
    }),
  )
}
