// The review that is being written: its comments at their lines, kept over reloads and moved along with their lines.
import { useCallback, useEffect, useMemo, useState } from 'react'
import { type AddComment, commentLine, type DiffComment, textOfLines } from '../diff/diff-comment.ts'
import type { DiffFile } from '../diff/parse-diff.ts'
import { CommentBox } from './comment-box.tsx'
import { type PendingActions, type PendingComment, type PendingReview, usePendingReview } from './pending-review.ts'

export interface Review {
  pending: PendingReview
  actions: PendingActions
  /** Finished comments: what is sent. */
  ready: readonly PendingComment[]
  add: AddComment
  /** Each at its line. */
  comments: readonly DiffComment[]
}

/** `files` and `state`: the whole diff as it is now, and a name of that state. */
export function useReview(name: string, { files, state }: { files: readonly DiffFile[]; state: string }): Review {
  const [pending, actions] = usePendingReview(name)
  const { change } = actions
  const [fresh, setFresh] = useState<string | null>(null)
  useEffect(() => {
    if (pending.sha === null || pending.sha === state) return
    change((before) => relocateReview(before, files, state))
  }, [pending.sha, state, files, change])
  const add: AddComment = useCallback(
    (path, line, { quote, startLine } = {}) => {
      const body = quote === undefined ? '' : `> ${quote.trim()}\n\n`
      const text = textOfLines(files, path, { line })
      const comment = { id: crypto.randomUUID(), path, startLine: startLine ?? null, line, text, body, isDraft: true }
      setFresh(comment.id)
      change((before) => ({ ...before, sha: before.sha ?? state, comments: [...before.comments, comment] }))
    },
    [change, state, files],
  )
  const comments = useMemo(
    () =>
      pending.comments.map(
        (comment): DiffComment => ({
          id: comment.id,
          path: comment.path,
          startLine: comment.startLine ?? null,
          line: comment.line,
          body: (
            <CommentBox
              comment={comment}
              files={files}
              isFresh={comment.id === fresh}
              onChange={(more) => {
                if (more.isDraft) setFresh(comment.id)
                change((before) => ({
                  ...before,
                  comments: before.comments.map((one) => (one.id === comment.id ? { ...one, ...more } : one)),
                }))
              }}
              onRemove={() =>
                change((before) => ({ ...before, comments: before.comments.filter(({ id }) => id !== comment.id) }))
              }
            />
          ),
        }),
      ),
    [pending, change, fresh, files],
  )
  return { pending, actions, ready: pending.comments.filter(({ isDraft }) => !isDraft), add, comments }
}

// A push during a review moves lines: its comments move with the text they were written under.

/** The review for another head: a comment whose line is not found stays where it was and is marked. */
export function relocateReview(review: PendingReview, files: readonly DiffFile[], head: string): PendingReview {
  return { ...review, sha: head, comments: review.comments.map((comment) => relocate(comment, files)) }
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
