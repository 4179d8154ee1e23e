// A question that is answered with y or n on the cursor's line. Pure.
import type { ScreenDialog } from '../../../contract/dialog.ts'

const YES_NO = /[[(]y(?:es)?\/n(?:o)?[\])]|\(Y\)es\/\(N\)o/i

/** Programs react to the letter immediately or wait for Enter. */
export function readYesNo(lines: readonly string[]): ScreenDialog | null {
  const last = lines.at(-1) ?? ''
  if (!YES_NO.test(last)) return null
  return {
    title: last.trim().slice(0, 400),
    takesLine: true,
    choices: [
      { label: 'Yes', decision: 'allow-once', keys: ['y', '\r'] },
      { label: 'No', decision: 'reject-once', keys: ['n', '\r'] },
    ],
  }
}
