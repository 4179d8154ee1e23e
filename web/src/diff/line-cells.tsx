// What rows of a diff are made of: numbers, code, and the comments below a line.
import { type AddComment, anchorOf, commentLine, type DiffComment } from './diff-comment.ts'
import type { DiffFile, DiffHunk, DiffLine, LineKind } from './parse-diff.ts'

export interface LinesProps {
  file: DiffFile
  comments: readonly DiffComment[]
  onAddComment: AddComment | undefined
}

const GROUND: Record<LineKind, string> = { same: '', added: 'bg-good-soft', removed: 'bg-bad-soft' }
const MARK: Record<LineKind, string> = { same: ' ', added: '+', removed: '−' }
const NUMBER = 'px-2 max-sm:px-1 text-right align-top text-faint select-none'

interface NumberProps {
  line: number | null
  kind: LineKind | null
  /** Presses on the number begin a comment. */
  onAdd?: (() => void) | undefined
}

export function NumberCell({ line, kind, onAdd }: NumberProps) {
  const ground = kind === null ? 'bg-sunken' : GROUND[kind]
  if (!onAdd || line === null) return <td className={`${NUMBER} ${ground}`}>{line}</td>
  return (
    <td className={`${NUMBER} group/number relative ${ground}`}>
      <button
        type="button"
        data-add-comment
        aria-label={`Comment on ${kind === 'removed' ? 'removed ' : ''}line ${line}`}
        onClick={onAdd}
        className="w-full rounded text-right group-hover/line:font-semibold group-hover/line:text-accent hover:underline focus-visible:outline-offset-0"
      >
        {line}
      </button>
    </td>
  )
}

export function CodeCell({ line }: { line: DiffLine | null }) {
  if (line === null) return <td className="bg-sunken" />
  return (
    <td className={`relative pr-3 pl-6 break-all whitespace-pre-wrap ${GROUND[line.kind]}`}>
      <span aria-hidden="true" className="absolute top-0 left-2 text-faint select-none">
        {MARK[line.kind]}
      </span>
      {line.kind !== 'same' && <span className="sr-only">{line.kind}: </span>}
      {line.text}
      {line.noNewline && <span className="ml-2 text-faint select-none">no line break at the end</span>}
    </td>
  )
}

export function HunkHeading({ hunk, columns }: { hunk: DiffHunk; columns: number }) {
  return (
    <tr>
      <td colSpan={columns} className="bg-sunken px-3 py-1 text-faint select-none">
        Lines from {hunk.newStart || hunk.oldStart} <span className="ml-2">{hunk.heading}</span>
      </td>
    </tr>
  )
}

/** What a press on the number of a line does. */
export function adderFor(
  { file, onAddComment }: Pick<LinesProps, 'file' | 'onAddComment'>,
  hunk: DiffHunk,
  line: DiffLine | null,
): (() => void) | undefined {
  if (!onAddComment || line === null) return undefined
  const number = commentLine(file, line)
  if (number !== null) return () => onAddComment(file.path, number)
  return () => {
    const anchor = anchorOf(hunk.lines, line)
    if (anchor !== null) onAddComment(file.path, anchor, line.text)
  }
}

/** Comments on this line. */
export function CommentRows({
  comments,
  line,
  columns,
}: {
  comments: readonly DiffComment[]
  line: number | null
  columns: number
}) {
  const here = line === null ? [] : comments.filter((comment) => comment.line === line)
  if (here.length === 0) return null
  return (
    <tr>
      <td colSpan={columns} className="border-y bg-canvas p-3 font-sans text-sm">
        <div className="flex max-w-3xl flex-col gap-2">
          {here.map((comment, index) => (
            <div key={comment.id ?? index}>{comment.body}</div>
          ))}
        </div>
      </td>
    </tr>
  )
}
