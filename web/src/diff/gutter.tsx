// The number of a line, and the button in its place that starts a comment: on one line by a click, on several by dragging
// from the first to the last, or by a click and another with Shift.
import type { MouseEvent, ReactNode } from 'react'
import type { ChangeData, GutterOptions } from 'react-diff-view'
import type { AddComment } from './diff-comment.ts'
import type { DiffHunk } from './parse-diff.ts'

const LABELS = { insert: 'added', delete: 'removed', normal: null } as const

export interface CommentTarget {
  path: string
  /** Several lines are together in one hunk. */
  hunk: DiffHunk
  line: number
  /** The removed line that is meant. */
  quote?: string
  onAdd: AddComment
}

/** Where a press began, and where the last comment was started: the page has one pointer. */
let pressed: CommentTarget | null = null
let latest: CommentTarget | null = null

/** `targetOf`: what a comment on the line would be about; undefined: it takes none. */
export function gutterOf(targetOf: (change: ChangeData) => CommentTarget | undefined) {
  return ({ change, side, renderDefault }: GutterOptions): ReactNode => {
    // A line on both sides is commented on its new side.
    const isOwn = (change.type === 'delete') === (side === 'old')
    const target = isOwn ? targetOf(change) : undefined
    const number = renderDefault()
    const word = LABELS[change.type]
    return (
      <>
        {target ? (
          <button
            type="button"
            data-add-comment
            aria-label={`Comment on ${change.type === 'delete' ? 'removed ' : ''}line ${String(number)}`}
            onPointerDown={() => {
              pressed = target
            }}
            onPointerUp={() => dropOn(target)}
            onClick={(event) => clickOn(target, event)}
          >
            {number}
          </button>
        ) : (
          number
        )}
        {isOwn && word && <span className="sr-only"> {word}</span>}
      </>
    )
  }
}

/** A press and release on one button is a click, which follows by itself. */
function dropOn(target: CommentTarget): void {
  const from = pressed
  pressed = null
  if (from && from.line !== target.line && areTogether(from, target)) addFrom(from, target)
}

function clickOn(target: CommentTarget, { shiftKey }: MouseEvent): void {
  if (shiftKey && latest && latest.line !== target.line && areTogether(latest, target)) {
    addFrom(latest, target)
    return
  }
  latest = target
  target.onAdd(target.path, target.line, target.quote === undefined ? {} : { quote: target.quote })
}

function areTogether(a: CommentTarget, b: CommentTarget): boolean {
  return a.path === b.path && a.hunk === b.hunk
}

function addFrom(a: CommentTarget, b: CommentTarget): void {
  latest = b
  b.onAdd(b.path, Math.max(a.line, b.line), { startLine: Math.min(a.line, b.line) })
}
