// The number of a line, and the button in its place that starts a comment.
import type { ReactNode } from 'react'
import type { ChangeData, GutterOptions } from 'react-diff-view'

const WORDS = { insert: 'added', delete: 'removed', normal: null } as const

/** `adderOf`: what a click on a line's number does; undefined: nothing. */
export function gutterOf(adderOf: (change: ChangeData) => (() => void) | undefined) {
  return ({ change, side, renderDefault }: GutterOptions): ReactNode => {
    // A line on both sides is commented on its new side.
    const isOwn = (change.type === 'delete') === (side === 'old')
    const onAdd = isOwn ? adderOf(change) : undefined
    const number = renderDefault()
    const word = WORDS[change.type]
    return (
      <>
        {onAdd ? (
          <button
            type="button"
            data-add-comment
            aria-label={`Comment on ${change.type === 'delete' ? 'removed ' : ''}line ${String(number)}`}
            onClick={onAdd}
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
