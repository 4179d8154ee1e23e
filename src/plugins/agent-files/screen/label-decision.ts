// What an option of a dialog means, judging by its label. Pure.
import type { PermissionDecision } from '../../../contract/permission.ts'

const NO = /^(?:no|deny|reject|cancel|decline|don['’]?t|do not|never)\b/i
const YES = /^(?:yes|allow|approve|accept|proceed|continue|ok(?:ay)?)\b/i
/** For more than this one time. An ambiguous approval is never taken for one. */
const LASTING = /\balways\b|\bnever\b|\bagain\b|\bsession\b|\ball\b|\bevery\b|\bfuture\b|\bauto\b|\band\b|\bbut\b/i

/** null: the label does not say. */
export function labelDecision(label: string): PermissionDecision | null {
  if (NO.test(label)) return /\balways\b|\bnever\b/i.test(label) ? 'reject-always' : 'reject-once'
  if (!YES.test(label)) return null
  return LASTING.test(label) ? 'allow-always' : 'allow-once'
}
