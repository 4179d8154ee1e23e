// A line of a transcript on a terminal: made harmless, and coloured by how it begins.
import { toSafeLines } from '../print/plain-text.ts'
import type { Paint, Style } from '../print/style.ts'

const PAINTS: ReadonlyArray<readonly [start: string, paint: Paint]> = [
  ['> ', 'cyan'],
  ['~ ', 'dim'],
  ['* ', 'dim'],
  ['    ', 'dim'],
  ['-- ', 'dim'],
  ['? ', 'yellow'],
  ['! ', 'red'],
]

export function paintLine(line: string, style: Style): string {
  const safe = toSafeLines(line)
  const paint = PAINTS.find(([start]) => safe.startsWith(start))?.[1]
  return paint ? style[paint](safe) : safe
}
