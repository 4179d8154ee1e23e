// A question that is answered with y or n on the cursor's line. Pure.
import type { ScreenDialog } from '../../../contract/dialog.ts'
import { lineText } from './dialog-text.ts'

const YES_NO = /[[(]y(?:es)?\/n(?:o)?[\])]|\(Y\)es\/\(N\)o/i
const AT_END = new RegExp(String.raw`(?:${YES_NO.source})\s*[:?>]?\s*$`, 'i')
/** A line of its own for the answer, still empty. */
const EMPTY_ENTRY = /^\s*[>›❯$:?]+\s*$/

/** Programs react to the letter immediately or wait for Enter. */
export function readYesNo(lines: readonly string[]): ScreenDialog | null {
  const at = findQuestion(lines)
  if (at === -1) return null
  return {
    ...lineText(lines, at),
    takesLine: true,
    choices: [
      { label: 'Yes', decision: 'allow-once', keys: ['y', '\r'] },
      { label: 'No', decision: 'reject-once', keys: ['n', '\r'] },
    ],
  }
}

/** -1: there is none. */
function findQuestion(lines: readonly string[]): number {
  const last = lines.length - 1
  if (YES_NO.test(lines[last] ?? '')) return last
  return EMPTY_ENTRY.test(lines[last] ?? '') && AT_END.test(lines[last - 1] ?? '') ? last - 1 : -1
}
