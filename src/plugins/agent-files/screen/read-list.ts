// A menu without numbers: options below each other in one column, one of them marked. Pure.
import type { ScreenDialog } from '../../../contract/dialog.ts'
import { menuText } from './dialog-text.ts'
import { labelDecision } from './label-decision.ts'

const UP = '\u001b[A'
const DOWN = '\u001b[B'
const ENTER = '\r'
const TICKED = /^(?:\[.\]|[•✓✔☐☑☒◯◉]) /
const FRAME = /[\s│┃|]+$/

/** `markers`: how the option that Enter would choose is marked. null: no such list, or one with gaps that nobody can count. */
export function readList(lines: readonly string[], markers: string): ScreenDialog | null {
  const at = lines.findLastIndex((line) => markOf(line, markers) !== null)
  if (at === -1) return null
  const column = markOf(lines[at]!, markers)!
  const isOption = (line: string | undefined) => line !== undefined && startOf(line) === column && line.trim() !== ''
  let first = at
  let last = at
  while (isOption(lines[first - 1])) first--
  while (isOption(lines[last + 1])) last++
  if (first === last) return null
  const choices = lines.slice(first, last + 1).map((line, index) => {
    const label = line.slice(column).replace(FRAME, '')
    const steps = first + index - at
    const way = (steps < 0 ? UP : DOWN).repeat(Math.abs(steps))
    return {
      label,
      decision: labelDecision(label),
      // Where several can be ticked, Enter would hand in what is ticked now.
      keys: TICKED.test(label) ? null : way === '' ? [ENTER] : [way, ENTER],
      marked: steps === 0,
    }
  })
  return { ...menuText(lines, first), choices }
}

/** The column in which the marked option begins. */
function markOf(line: string, markers: string): number | null {
  const [before, mark] = /^[\s│┃|]*(\S) +(?=\S)/.exec(line) ?? []
  return before !== undefined && markers.includes(mark!) ? before.length : null
}

function startOf(line: string): number {
  return /^[\s│┃|]*/.exec(line)![0].length
}
