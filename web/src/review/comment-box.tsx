// A comment of the review being written, below its line: a form while it is being typed, then its text.
import { useEffect, useRef, useState } from 'react'
import { linesAround, textOfLines } from '../diff/diff-comment.ts'
import type { DiffFile } from '../diff/parse-diff.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { TextArea } from '../ui/text-field.tsx'
import type { PendingComment } from './pending-review.ts'

interface Props {
  comment: PendingComment
  /** What is reviewed: a comment may be about several of its lines. */
  files: readonly DiffFile[]
  /** It was just opened: the person wants to type. */
  isFresh: boolean
  onChange: (change: Partial<PendingComment>) => void
  onRemove: () => void
}

export function CommentBox(props: Props) {
  const { comment, onChange, onRemove } = props
  if (comment.isDraft) return <CommentForm {...props} />
  return (
    <div className="rounded-md border border-dashed border-line-strong bg-surface p-3">
      <div className="mb-1 flex items-center gap-2">
        <Badge tone="attention">Pending</Badge>
        {comment.isLost && <Badge tone="bad">The line has changed</Badge>}
        <span className="text-xs text-muted">{linesOf(comment)}, sent with your review</span>
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

function linesOf({ startLine, line }: PendingComment): string {
  return startLine && startLine !== line ? `Lines ${startLine} to ${line}` : `Line ${line}`
}

/** Storage is written in pauses: every key would render the page again. */
const SAVE_MS = 250

function CommentForm({ comment, files, isFresh, onChange, onRemove }: Props) {
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
  const suggest = () => {
    const lines = textOfLines(files, comment.path, comment) ?? ''
    setBody((before) => `${before.trim() === '' ? '' : `${before.trimEnd()}\n\n`}\`\`\`suggestion\n${lines}\n\`\`\`\n`)
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
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FirstLine comment={comment} files={files} onChange={onChange} />
        <Button
          size="sm"
          variant="ghost"
          icon="edit"
          disabled={body.includes('```suggestion') || textOfLines(files, comment.path, comment) === null}
          onClick={suggest}
        >
          Suggest a change
        </Button>
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

/** From which line on: a comment may be about several. */
function FirstLine({ comment, files, onChange }: Pick<Props, 'comment' | 'files' | 'onChange'>) {
  const { path, startLine, line } = comment
  const around = linesAround(files, path, line)
  const numbers = around.map((one) => one.newLine ?? one.oldLine!).filter((number) => number <= line)
  if (numbers.length < 2) return null
  return (
    <label className="mr-auto flex items-center gap-1.5 text-xs text-muted">
      Lines
      <select
        aria-label="First line"
        value={startLine ?? line}
        onChange={(event) => {
          const first = Number(event.target.value)
          onChange({ startLine: first === line ? null : first })
        }}
        className="rounded border border-line-strong bg-surface px-1 py-0.5 text-ink"
      >
        {numbers.slice(-MOST_LINES).map((number) => (
          <option key={number} value={number}>
            {number}
          </option>
        ))}
        {startLine && !numbers.slice(-MOST_LINES).includes(startLine) && <option value={startLine}>{startLine}</option>}
      </select>
      to {line}
    </label>
  )
}

/** A list of more is no help; dragging reaches further. */
const MOST_LINES = 60

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
