// What a session needs, as text with everything invisible spelled out.
import type { ErrorCause, NeedKind } from '../../../src/contract/dashboard/needs.ts'
import { visibleLine, visibleText } from '../../../src/core/text/visible-text.ts'

interface Need {
  kind: NeedKind
  cause: ErrorCause | null
  matter: string
}

/** A request is spelled out where it is described; spelled twice it could not be read. */
export function matterText({ kind, cause, matter }: Need): string {
  return kind === 'permission' || cause === 'expired' ? matter : visibleText(matter)
}

export function matterLine(need: Need): string {
  return matterText(need) === need.matter ? need.matter.replaceAll('\n', '⏎') : visibleLine(need.matter)
}
