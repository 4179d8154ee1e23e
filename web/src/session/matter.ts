// What a session needs, as text with everything invisible spelled out.
import type { ErrorCause, NeedKind } from '../../../src/contract/dashboard/needs.ts'
import { visibleLine, visibleText } from '../../../src/core/text/visible-text.ts'
import { capitalized } from './labels.ts'

interface Need {
  kind: NeedKind
  cause: ErrorCause | null
  matter: string
}

/** A request is spelled out where it is described; spelled twice it could not be read. */
const isSpelled = ({ kind, cause }: Need) => kind === 'permission' || cause === 'expired'

export function matterText(need: Need): string {
  return isSpelled(need) ? need.matter : visibleText(sentenceOf(need))
}

export function matterLine(need: Need): string {
  const text = sentenceOf(need)
  return matterText(need) === text ? text.replaceAll('\n', '⏎') : visibleLine(text)
}

/** Evidence of ours stands alone here. */
function sentenceOf({ cause, matter }: Need): string {
  return cause === 'ended' || cause === 'lost' ? capitalized(matter) : matter
}
