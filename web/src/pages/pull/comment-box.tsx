// A comment of the review being written, below its line: a form while it is being typed, then its text.
import { useEffect, useRef, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import type { PendingComment } from './pending-review.ts'

interface Props {
  comment: PendingComment
  /** It was just opened: the person wants to type. */
  isFresh: boolean
  onChange: (change: Partial<PendingComment>) => void
  onRemove: () => void
}

export function CommentBox({ comment, isFresh, onChange, onRemove }: Props) {
  if (comment.isDraft) {
    return <CommentForm comment={comment} isFresh={isFresh} onChange={onChange} onRemove={onRemove} />
  }
  return (
    <div className="rounded-md border border-dashed border-line-strong bg-surface p-3">
      <div className="mb-1 flex items-center gap-2">
        <Badge tone="attention">Pending</Badge>
        {comment.isLost && <Badge tone="bad">The line has changed</Badge>}
        <span className="text-xs text-muted">Line {comment.line}, sent with your review</span>
        <span className="ml-auto flex gap-1">
          <Button size="sm" variant="ghost" onClick={() => onChange({ isDraft: true })}>
            Edit
          </Button>
          <Button size="sm" variant="ghost" onClick={onRemove}>
            Remove
          </Button>
        </span>
      </div>
      <Markdown text={comment.body} />
    </div>
  )
}

/** Storage is written in pauses: every key would render the page again. */
const SAVE_MS = 250

function CommentForm({ comment, isFresh, onChange, onRemove }: Props) {
  const [body, setBody] = useState(comment.body)
  const saved = useRef(comment.body)
  const save = useRef(onChange)
  save.current = onChange
  useEffect(() => {
    if (body === saved.current) return
    const keep = () => {
      saved.current = body
      save.current({ body })
    }
    const timer = setTimeout(keep, SAVE_MS)
    window.addEventListener('pagehide', keep)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('pagehide', keep)
    }
  }, [body])
  const form = useRef<HTMLFormElement>(null)
  const isEmpty = body.trim() === ''
  const add = () => {
    if (isEmpty) return
    focusLine(form.current)
    onChange({ body: body.trim(), isDraft: false })
  }
  const discard = () => {
    focusLine(form.current)
    onRemove()
  }
  return (
    <form
      ref={form}
      className="flex flex-col gap-2 rounded-md border bg-surface p-3 shadow-card"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <TextArea
        label={`Comment on line ${comment.line} of ${comment.path}`}
        hideLabel
        placeholder={`Comment on line ${comment.line}`}
        className="min-h-20"
        maxLength={20_000}
        ref={isFresh ? beginTyping : null}
        value={body}
        onChange={(event) => setBody(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) add()
          if (event.key === 'Escape' && isEmpty) discard()
        }}
      />
      <div className="flex justify-end gap-2">
        <Button size="sm" variant="ghost" onClick={discard}>
          Discard
        </Button>
        <Button size="sm" variant="primary" type="submit" disabled={isEmpty}>
          Add to the review
        </Button>
      </div>
    </form>
  )
}

/** After the existing quotes. */
function beginTyping(field: HTMLTextAreaElement | null): void {
  field?.focus()
  field?.setSelectionRange(field.value.length, field.value.length)
}

/** Keyboard users continue at the line that the comment is about. */
function focusLine(form: HTMLElement | null): void {
  const line = form?.closest('tr')?.previousElementSibling
  line?.querySelector<HTMLElement>('[data-add-comment]')?.focus()
}
