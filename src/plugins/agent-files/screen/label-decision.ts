// What an option of a dialog means, judging by its label. Pure.
import type { PermissionDecision } from '../../../contract/permission.ts'

const NO = /^(?:no|deny|reject|cancel|decline|don['’]?t|do not|never)\b/i
const YES = /^(?:yes|allow|approve|accept|proceed|continue|ok(?:ay)?)\b/i
/** All that an approval of this one thing says. With any other word it may be for more: that is never taken for once. */
const ONCE_TERMS =
  'yes allow approve accept proceed continue ok okay once just only this one time the it i do run execute apply make go ahead ' +
  'command edit edits change changes file files folder trust in tool action call please'
const ONCE = new Set(ONCE_TERMS.split(' '))
/** Its key, as in `Yes, proceed (y)`. */
const KEY = /\s*\((?:[a-z0-9]|esc|enter|tab|recommended|default)\)\s*$/i

/** null: the label does not say. */
export function labelDecision(label: string): PermissionDecision | null {
  if (NO.test(label)) return /\balways\b|\bnever\b/i.test(label) ? 'reject-always' : 'reject-once'
  if (!YES.test(label)) return null
  return isOnce(label) ? 'allow-once' : 'allow-always'
}

function isOnce(label: string): boolean {
  const text = label
    .replace(KEY, '')
    .toLowerCase()
    .split(/[\s,.!]+/)
  return text.every((word) => word === '' || ONCE.has(word))
}
