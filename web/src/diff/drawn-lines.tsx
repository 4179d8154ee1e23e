// The lines of a file as react-diff-view renders them, in one column or two, with comments below their lines. Loaded when
// the first diff is shown.

import { type CSSProperties, memo, type ReactNode, startTransition, useEffect, useMemo, useState } from 'react'
import { type ChangeData, Decoration, Diff, getChangeKey, Hunk, type HunkTokens } from 'react-diff-view'
import { readableText } from '../../../src/core/text/visible-text.ts'
import 'react-diff-view/style/index.css'
import './drawn-lines.css'
import { anchorOf, commentLine, type DiffComment } from './diff-comment.ts'
import type { LinesProps } from './diff-lines.tsx'
import { type CommentTarget, gutterOf } from './gutter.tsx'
import type { DiffFile, DiffLine } from './parse-diff.ts'
import { cutPieces, cutUnits, type Piece, type Unit } from './pieces.ts'
import { isColoured, toChange, toHunk, tokensOf } from './tokens.ts'
import { WindowPiece } from './window-piece.tsx'

/** Up to here the whole file is on the page, where the browser's own search finds it. */
const SHORT_ROWS = 1_500

export function DrawnLines(props: LinesProps) {
  const { file, layout, comments, onAddComment, commentable, onMoreContext, onTakeBack } = props
  const pieces = useMemo(() => cutPieces(file, layout), [file, layout])
  const units = useMemo(() => cutUnits(file), [file])
  const isShort = pieces.reduce((sum, { rows }) => sum + rows, 0) <= SHORT_ROWS
  const drawn = pieces.map((piece, index) => {
    const here = commentsOn(file, piece, comments)
    return (
      <WindowPiece key={piece.key} rows={piece.rows} isKept={isShort || index === 0 || here.length > 0}>
        <DrawnPiece
          {...{ file, piece, units, layout, onAddComment, commentable, onMoreContext, onTakeBack }}
          comments={here}
        />
      </WindowPiece>
    )
  })
  return <div style={{ '--digits': digitsOf(file) } as CSSProperties}>{drawn}</div>
}

/** As wide as the longest number, and never so narrow that a click misses it. */
function digitsOf({ hunks }: DiffFile): number {
  const { oldLine, newLine } = hunks.at(-1)?.lines.at(-1) ?? { oldLine: 0, newLine: 0 }
  return Math.max(3, String(Math.max(oldLine ?? 0, newLine ?? 0)).length)
}

interface PieceProps extends LinesProps {
  piece: Piece
  units: ReadonlyMap<DiffLine, Unit>
}

const TYPES = { added: 'add', deleted: 'delete', renamed: 'rename', copied: 'copy', modified: 'modify' } as const

const DrawnPiece = memo(function DrawnPiece(props: PieceProps) {
  const { file, piece, units, layout, comments, onAddComment, commentable, onMoreContext, onTakeBack } = props
  const [hunk, lineOf] = useMemo(() => {
    const changes = piece.lines.map(toChange)
    return [toHunk(changes), new Map(changes.map((change, index) => [change, piece.lines[index]!]))] as const
  }, [piece])
  const tokens = useTokens(file, piece, units)
  const widgets = useMemo(() => widgetsOf(file, piece, comments), [file, piece, comments])
  const renderGutter = useMemo(
    () => gutterOf((change) => targetFor({ file, piece, onAddComment, commentable }, lineOf.get(change))),
    [file, piece, onAddComment, commentable, lineOf],
  )
  return (
    <Diff
      diffType={TYPES[file.change]}
      viewType={layout}
      hunks={[hunk]}
      tokens={tokens}
      widgets={widgets}
      renderGutter={renderGutter}
      generateLineClassName={({ changes }) =>
        `${endMarks(changes, lineOf)} ${rangeMark(file, changes, { lineOf, comments })}`
      }
    >
      {([one]) => [
        ...(piece.isFirst ? [<Heading key="heading" {...{ file, piece, onMoreContext, onTakeBack }} />] : []),
        <Hunk key="lines" hunk={one!} />,
      ]}
    </Diff>
  )
})

type HeadingProps = Pick<PieceProps, 'file' | 'piece' | 'onMoreContext' | 'onTakeBack'>

function Heading({ file, piece: { hunk }, onMoreContext, onTakeBack }: HeadingProps) {
  return (
    <Decoration>
      <div className="flex items-center gap-2 bg-sunken px-3 py-1 text-faint select-none">
        <span className="min-w-0 flex-1 truncate">
          From line {hunk.newStart || hunk.oldStart} <span className="ml-2">{readableText(hunk.heading)}</span>
        </span>
        {onTakeBack && file.change !== 'added' && file.change !== 'deleted' && (
          <button
            type="button"
            onClick={() => onTakeBack(file, hunk)}
            className="rounded px-1.5 font-sans text-accent hover:underline"
          >
            Take back
          </button>
        )}
        {onMoreContext && (
          <button
            type="button"
            onClick={() => onMoreContext(file)}
            className="rounded px-1.5 font-sans text-accent hover:underline"
          >
            More context
          </button>
        )}
      </div>
    </Decoration>
  )
}

/** The lines that a comment on several is about. */
function rangeMark(
  file: DiffFile,
  changes: readonly ChangeData[],
  { lineOf, comments }: { lineOf: ReadonlyMap<ChangeData, DiffLine>; comments: readonly DiffComment[] },
): string {
  const ranges = comments.filter(({ startLine }) => startLine)
  if (ranges.length === 0) return ''
  const isInside = (change: ChangeData) => {
    const line = lineOf.get(change)
    const number = line ? commentLine(file, line) : null
    return number !== null && ranges.some(({ startLine, line: last }) => number >= startLine! && number <= (last ?? 0))
  }
  return changes.some(isInside) ? 'diff-line-commented' : ''
}

/** Where a file ends without a line break. */
function endMarks(changes: readonly ChangeData[], lineOf: ReadonlyMap<ChangeData, DiffLine>): string {
  const ends = changes.filter((change) => lineOf.get(change)?.noNewline)
  return ends.map(({ type }) => `diff-no-newline-${type === 'delete' ? 'old' : 'new'}`).join(' ')
}

/** Plain first; colours follow when the browser is idle. */
function useTokens(file: DiffFile, piece: Piece, units: ReadonlyMap<DiffLine, Unit>): HunkTokens | null {
  const wanted = useMemo(() => [...new Set(piece.lines.map((line) => units.get(line)!))], [piece, units])
  const [isReady, setReady] = useState(() => wanted.every(isColoured))
  useEffect(() => {
    if (isReady) return
    return whenIdle(() => {
      for (const unit of wanted) tokensOf(unit, file.path)
      startTransition(() => setReady(true))
    })
  }, [isReady, wanted, file.path])
  return useMemo(() => (isReady ? numberedTokens(file, piece, units) : null), [isReady, file, piece, units])
}

function numberedTokens(file: DiffFile, { lines }: Piece, units: ReadonlyMap<DiffLine, Unit>): HunkTokens | null {
  const tokens: HunkTokens = { old: [], new: [] }
  for (const line of lines) {
    const found = tokensOf(units.get(line)!, file.path).get(line)
    if (!found) return null
    if (line.oldLine !== null) tokens.old[line.oldLine - 1] = found
    if (line.newLine !== null) tokens.new[line.newLine - 1] = found
  }
  return tokens
}

function whenIdle(work: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 1)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(work, { timeout: 500 })
  return () => cancelIdleCallback(handle)
}

/** A constant, so that pieces without comments are not rendered again. */
const NONE: readonly DiffComment[] = []

function commentsOn(file: DiffFile, { lines }: Piece, comments: readonly DiffComment[]): readonly DiffComment[] {
  if (comments.length === 0) return NONE
  const numbers = new Set(lines.map((line) => commentLine(file, line)))
  const here = comments.filter(
    ({ line, startLine }) => line !== null && (numbers.has(line) || isOver(startLine, line, numbers)),
  )
  return here.length === 0 ? NONE : here
}

/** Of several lines some are here, though the last one is not. */
function isOver(startLine: number | null | undefined, line: number, numbers: ReadonlySet<number | null>): boolean {
  if (!startLine) return false
  for (let number = startLine; number < line; number += 1) if (numbers.has(number)) return true
  return false
}

function widgetsOf(file: DiffFile, { lines }: Piece, comments: readonly DiffComment[]): Record<string, ReactNode> {
  const byLine = Map.groupBy(comments, ({ line }) => line)
  const entries = lines.flatMap((line) => {
    const here = byLine.get(commentLine(file, line))
    return here && commentLine(file, line) !== null
      ? [[getChangeKey(toChange(line)), <Comments key="" here={here} />]]
      : []
  })
  return Object.fromEntries(entries)
}

function Comments({ here }: { here: readonly DiffComment[] }) {
  return (
    <div className="flex max-w-3xl flex-col gap-2 p-3 font-sans text-sm">
      {here.map((comment, index) => (
        <div key={comment.id ?? index}>{comment.body}</div>
      ))}
    </div>
  )
}

type Commentable = Pick<PieceProps, 'file' | 'piece' | 'onAddComment' | 'commentable'>

/** What a comment that is started at this line is about. */
function targetFor(
  { file, piece: { hunk }, onAddComment, commentable }: Commentable,
  line: DiffLine | undefined,
): CommentTarget | undefined {
  if (!onAddComment || line === undefined) return undefined
  const own = commentLine(file, line)
  const number = own ?? anchorOf(hunk.lines, line)
  if (number === null || (commentable !== null && !commentable.has(number))) return undefined
  return { path: file.path, hunk, line: number, onAdd: onAddComment, ...(own === null && { quote: line.text }) }
}
