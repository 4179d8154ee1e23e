// `tablerow`: columns two spaces apart, the last one cut at the terminal's edge.
import { displayWidth, truncate } from '../../../cli/print/plain-text.ts'

export function alignRows(rows: readonly string[][], width: number): string {
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell))
    })
  return rows
    .map((row) => {
      const cells = row.map((cell, index) =>
        index === row.length - 1 ? cell : cell + ' '.repeat(widths[index]! - displayWidth(cell)),
      )
      const line = cells.join('  ')
      return `${Number.isFinite(width) ? truncate(line, width) : line}\n`
    })
    .join('')
}
