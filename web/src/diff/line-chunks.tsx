// Long files in pieces: the browser lays out only those in sight, and a comment draws only its own piece again.
import { type ReactNode, useMemo } from 'react'
import type { DiffComment } from './diff-comment.ts'
import type { DiffFile, DiffHunk } from './parse-diff.ts'

export interface Chunk<Row> {
  key: string
  hunk: DiffHunk
  /** The hunk begins with it. */
  isFirst: boolean
  rows: readonly Row[]
}

const ROWS = 80
const ROW_PX = 18

export function useChunks<Row>(file: DiffFile, toRows: (hunk: DiffHunk) => readonly Row[]): Chunk<Row>[] {
  return useMemo(() => file.hunks.flatMap((hunk) => cutHunk(hunk, toRows(hunk))), [file, toRows])
}

function cutHunk<Row>(hunk: DiffHunk, rows: readonly Row[]): Chunk<Row>[] {
  const count = Math.max(1, Math.ceil(rows.length / ROWS))
  return Array.from({ length: count }, (_, index) => ({
    key: `${hunk.oldStart}:${hunk.newStart}:${index}`,
    hunk,
    isFirst: index === 0,
    rows: rows.slice(index * ROWS, (index + 1) * ROWS),
  }))
}

/** Always the same, so that pieces without comments are not drawn again. */
const NONE: readonly DiffComment[] = []

export function commentsOn<Row>(
  comments: readonly DiffComment[],
  { rows }: Chunk<Row>,
  lineOf: (row: Row) => number | null,
): readonly DiffComment[] {
  if (comments.length === 0) return NONE
  const lines = new Set(rows.map(lineOf))
  const here = comments.filter(({ line }) => line !== null && lines.has(line))
  return here.length === 0 ? NONE : here
}

/** One piece of the table. `columns`: classes of its columns. */
export function ChunkTable({
  rows,
  columns,
  children,
}: {
  rows: number
  columns: readonly string[]
  children: ReactNode
}) {
  return (
    <div className="[content-visibility:auto]" style={{ containIntrinsicSize: `auto ${rows * ROW_PX}px` }}>
      <table className="w-full table-fixed border-collapse font-mono text-xs">
        <colgroup>
          {columns.map((className, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns are always the same.
            <col key={index} className={className} />
          ))}
        </colgroup>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

export const NUMBER_COLUMN = 'w-11 max-sm:w-8'
