// A table that fits the terminal: columns shrink, then are dropped, in the order their table says; no line ever wraps.
import { displayWidth, type MeasuredLine, measureLine, truncate } from './plain-text.ts'

export interface Column<Row> {
  title: string
  /** Plain text; it is sanitized here. */
  text(row: Row): string
  /** Shorter words for the same, used for the whole column when space is short. */
  short?(row: Row): string
  /** Colours the padded or cut text. */
  paint?(text: string, row: Row): string
  align?: 'right'
  /** The width it may shrink to when space is short; without it never. */
  min?: number
  /** Columns with the highest number are left out first when shrinking is not enough; without it never. */
  drop?: number
}

export interface TableOptions {
  width: number
  indent?: number
  paintTitle?(text: string): string
  /** Omit the header line. */
  bare?: boolean
}

const GAP = 2
const BETWEEN = ' '.repeat(GAP)

export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: TableOptions,
): string[] {
  const indent = options.indent ?? 0
  const shown = fitColumns(chooseText(columns, rows, options.width - indent), options.width - indent)
  const lines = rows.map((row, index) =>
    joinCells(shown, ({ column, cells, width }, isLast) => {
      const text = pad(cells[index]!, width, column.align, isLast)
      return column.paint ? column.paint(text, row) : text
    }),
  )
  const title = joinCells(shown, ({ column, width }, isLast) =>
    pad(measureLine(column.title), width, column.align, isLast),
  )
  const all = options.bare ? lines : [options.paintTitle ? options.paintTitle(title) : title, ...lines]
  return indent === 0 ? all : all.map((line) => ' '.repeat(indent) + line)
}

interface Sized<Row> {
  column: Column<Row>
  cells: MeasuredLine[]
  width: number
}

/** Full words when all of them fit. Empty columns are left out. */
function chooseText<Row>(columns: readonly Column<Row>[], rows: readonly Row[], available: number): Sized<Row>[] {
  const full = columns.map((column) => measure(column, rows, column.text)).filter(hasContent)
  if (totalWidth(full) <= available) return full
  return full.map((one) => (one.column.short ? measure(one.column, rows, one.column.short) : one)).filter(hasContent)
}

function measure<Row>(column: Column<Row>, rows: readonly Row[], textOf: (row: Row) => string): Sized<Row> {
  const cells = rows.map((row) => measureLine(textOf(row)))
  return { column, cells, width: cells.reduce((most, { width }) => Math.max(most, width), displayWidth(column.title)) }
}

function hasContent<Row>({ cells }: Sized<Row>): boolean {
  return cells.some(({ text }) => text !== '')
}

/** Shrinks the widest shrinkable column first; when all are at their minimum, drops one and starts again. */
function fitColumns<Row>(columns: Sized<Row>[], available: number): Sized<Row>[] {
  const sized = columns.map((column) => ({ ...column }))
  let excess = totalWidth(sized) - available
  while (excess > 0) {
    const widest = sized.filter(canShrink).sort((a, b) => b.width - a.width)[0]
    if (!widest) break
    const next = Math.max(...sized.filter((one) => canShrink(one) && one !== widest).map((one) => one.width), 0)
    const step = Math.max(1, Math.min(excess, widest.width - Math.max(next, widest.column.min ?? 0)))
    widest.width -= step
    excess -= step
  }
  const droppable = columns.filter(({ column }) => column.drop !== undefined)
  if (excess <= 0 || droppable.length === 0) return sized
  const first = droppable.reduce((a, b) => ((b.column.drop ?? 0) > (a.column.drop ?? 0) ? b : a))
  return fitColumns(
    columns.filter((one) => one !== first),
    available,
  )
}

function canShrink<Row>({ column, width }: Sized<Row>): boolean {
  return column.min !== undefined && width > column.min
}

function totalWidth<Row>(columns: Sized<Row>[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0) + GAP * Math.max(0, columns.length - 1)
}

function joinCells<Row>(columns: Sized<Row>[], cell: (column: Sized<Row>, isLast: boolean) => string): string {
  // A list has ten thousand lines: no array for each.
  let line = ''
  for (let index = 0; index < columns.length; index++)
    line += (index === 0 ? '' : BETWEEN) + cell(columns[index]!, index === columns.length - 1)
  return line
}

function pad(line: MeasuredLine, width: number, align: 'right' | undefined, isLast: boolean): string {
  const fits = line.width <= width
  const cut = fits ? line.text : truncate(line.text, width)
  const missing = ' '.repeat(Math.max(0, width - (fits ? line.width : displayWidth(cut))))
  if (align === 'right') return missing + cut
  return isLast ? cut : cut + missing
}
