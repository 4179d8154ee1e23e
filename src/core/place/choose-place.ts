// Which of the places that a project names gets the next session: the first that has room.

import { isWaiting } from '../../contract/blocker.ts'
import type { PlaceConfig } from '../../contract/config.ts'
import type { SessionRecord } from '../../contract/record.ts'

export interface PlaceRoom {
  name: string
  /** undefined: as many as one likes. */
  maxSessions: number | undefined
  /** Sessions that are there now. */
  sessions: number
  /** It takes no new sessions (`ao place drain`). */
  draining: boolean
}

/** null: none has room; `why` then says so for each. */
export function choosePlace(places: readonly PlaceRoom[]): { place: string | null; why: string } {
  const reasons: string[] = []
  for (const place of places) {
    const why = noRoom(place)
    if (why === null) return { place: place.name, why: '' }
    reasons.push(`${place.name}: ${why}`)
  }
  return { place: null, why: reasons.join('; ') }
}

export function noRoom({ maxSessions, sessions, draining }: PlaceRoom): string | null {
  if (draining) return 'it is being drained'
  if (maxSessions !== undefined && sessions >= maxSessions) return `${sessions} of ${maxSessions} sessions are there`
  return null
}

/** It is there, or on its way there or back. A restore names its place in its intent, before anything else says so. */
export function takesRoom(record: SessionRecord, place: string): boolean {
  if (record.operation === 'restore' && record.operationData?.place === place) return true
  return record.place === place && record.endedAs === undefined && !isWaiting(record)
}

/** What ao itself reads of a place, and the options of its engine. */
export function splitPlace({ type, maxSessions: _, ...rest }: PlaceConfig) {
  const { environment, cloneFrom, maxUntrackedMb, ...options } = rest
  return { type, options, environment, cloneFrom, maxUntrackedMb }
}
