// Places that sessions are in and that do not answer, from sessions as they are shown now. Pure.
import type { Session, UnknownAgent } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { formatAge, plural } from '../text/format-age.ts'

export interface UnreachablePlace {
  place: string
  /** Of the session that lost it first. */
  since: Date
  why: string
  /** Their ids. */
  sessions: string[]
}

export function unreachablePlaces(sessions: readonly Session[]): UnreachablePlace[] {
  const found = new Map<string, UnreachablePlace>()
  for (const session of sessions) {
    const { id, agentInfo } = session
    const unknown = agentInfo?.unknown
    if (!unknown?.unreachable || unknown.since === null || isTerminalSession(session)) continue
    const { place, since, why } = unknown
    const existing = found.get(place)
    if (existing === undefined) found.set(place, { place, since, why, sessions: [id] })
    else {
      existing.sessions.push(id)
      if (since < existing.since) Object.assign(existing, { since, why })
    }
  }
  return [...found.values()]
}

/** For a column: `unreachable 2m`. */
export function unknownText({ unreachable, since }: UnknownAgent, now: Date): string {
  return unreachable && since !== null ? `unreachable ${formatAge(since, now)}` : 'unknown'
}

/** Beside a status. */
export function unknownHeadline({ place, unreachable, since }: UnknownAgent, now: Date): string {
  if (!unreachable || since === null) return 'activity unknown'
  return `activity unknown: ${place} has been unreachable for ${formatAge(since, now)}`
}

/** One line for people, without the age, which changes every second. */
export function unreachableNotice({ place, why, sessions }: UnreachablePlace): string {
  const agents = `what ${plural(sessions.length, 'agent')} there ${sessions.length === 1 ? 'is' : 'are'} doing is unknown`
  return `the place ${place} cannot be reached, so ${agents} (${sessions.slice(0, 5).join(', ')}${sessions.length > 5 ? ', …' : ''}): ${reasonOf(place, why)}`
}

function reasonOf(place: string, why: string): string {
  return why.replace(`${place} cannot be reached: `, '')
}
