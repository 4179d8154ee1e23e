// Whether a session of a shared task may land: of several tries only the one that was chosen; a group as a whole, each in its
// turn. Pure.

import { landsAlone } from '../../contract/blocker.ts'
import type { SessionRecord } from '../../contract/record.ts'

/** null: nothing about its task is in the way. */
export function whyNotAlone({ task }: Pick<SessionRecord, 'task'>, sessionId: string): string | null {
  if (task === undefined || landsAlone({ task })) return null
  if (task.kind === 'group') return 'it is part of a group, which lands as a whole once each part is approved and green'
  return `it is one of ${task.of} tries, and nobody has chosen it: ao choose ${sessionId}`
}

export interface MemberFacts {
  session: string
  /** `ended`: it ended without landing. */
  state: 'open' | 'landed' | 'ended'
  /** Its pull request is approved, and everything that checks it has passed. */
  isReady: boolean
  /** Completes "web-1 …". */
  detail: string
}

export type GroupStep =
  /** Some are not ready yet, and none has landed. */
  | { act: 'wait'; reason: string }
  | { act: 'merge'; session: string }
  /** Some have landed and the next cannot: a person has to know. */
  | { act: 'stop'; reason: string }
  | { act: 'done' }

/** In the order of landing. */
export function decideGroup(members: readonly MemberFacts[]): GroupStep {
  const rest = members.filter(({ state }) => state !== 'landed')
  const [next] = rest
  if (!next) return { act: 'done' }
  const missing = rest.find(({ isReady }) => !isReady)
  if (!missing) return { act: 'merge', session: next.session }
  const landed = members.filter(({ state }) => state === 'landed').map(({ session }) => session)
  const reason = `${missing.session} ${missing.detail}`
  if (landed.length > 0) return { act: 'stop', reason: `${landed.join(' and ')} landed, but ${reason}` }
  const isOver = rest.some(({ state }) => state === 'ended')
  return isOver ? { act: 'stop', reason: `nothing of it lands: ${reason}` } : { act: 'wait', reason }
}
