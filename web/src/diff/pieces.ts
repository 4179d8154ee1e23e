// A file's lines in pieces: what is rendered together, and what is coloured together. Pure.
import type { DiffLayout } from './layout-switch.tsx'
import { type DiffFile, type DiffHunk, type DiffLine, pairLines } from './parse-diff.ts'

export interface Piece {
  key: string
  hunk: DiffHunk
  /** The hunk begins with it. */
  isFirst: boolean
  /** In rendering order. */
  lines: readonly DiffLine[]
  rows: number
}

/** Lines that are coloured together, so that a comment or string across lines is recognized. */
export type Unit = readonly DiffLine[]

const PIECE_ROWS = 100
const UNIT_LINES = 500

export function cutPieces(file: DiffFile, layout: DiffLayout): Piece[] {
  return file.hunks.flatMap((hunk) => {
    const rows = rowsOf(hunk, layout)
    return slices(rows, PIECE_ROWS).map((part, index) => ({
      key: `${hunk.oldStart}:${hunk.newStart}:${index}`,
      hunk,
      isFirst: index === 0,
      lines: part.flat(),
      rows: part.length,
    }))
  })
}

/** Side by side, a removed line and its replacement are one row; they follow each other. */
function rowsOf({ lines }: DiffHunk, layout: DiffLayout): DiffLine[][] {
  if (layout === 'unified') return lines.map((line) => [line])
  return pairLines(lines).map(({ left, right }) => [...new Set([left, right])].filter((line) => line !== null))
}

export function cutUnits(file: DiffFile): Map<DiffLine, Unit> {
  const units = file.hunks.flatMap(({ lines }) => slices(lines, UNIT_LINES))
  return new Map(units.flatMap((unit) => unit.map((line) => [line, unit] as const)))
}

function slices<T>(all: readonly T[], size: number): T[][] {
  const count = Math.max(1, Math.ceil(all.length / size))
  return Array.from({ length: count }, (_, index) => all.slice(index * size, (index + 1) * size))
}
