// Keeps account of what a session in a place asks of home: in the session's history, bounded, before it is done; and how often it may.
import { dirname } from 'node:path'
import type { OtherEvent } from '../../../contract/events.ts'
import { type AskCount, countAsk } from '../../../core/place/count-asks.ts'
import { systemClock } from '../../../lib/clock.ts'
import { silentLog } from '../../../lib/log.ts'
import { projectPaths } from '../../../store/paths.ts'
import { createSessionStore } from '../../../store/session/session-store.ts'
import type { LineSpec } from '../home/line-files.ts'

/** `refused`: why, or null. `reads`: it changes nothing, so repeating it is not written down. Rejects when the session asks too often. */
export type RecordAsk = (request: string, refused: string | null, reads?: boolean) => Promise<void>

const LONGEST = 300

export function createRecord({ home, sessionId }: LineSpec): RecordAsk {
  const { AO_DATA_DIR: sessions, AO_PROJECT_ID: projectId, AO_CONFIG_PATH: configPath } = home?.environment ?? {}
  let count: AskCount = { since: 0, asks: 0, last: null }
  const store =
    sessions && projectId && configPath
      ? createSessionStore({
          projectId,
          paths: projectPaths(dirname(sessions)),
          configPath,
          clock: systemClock,
          log: silentLog,
        })
      : null
  return async (request, refused, reads = false) => {
    const text = shorten(request)
    const counted = countAsk(count, reads || refused !== null ? text : null, systemClock.now().getTime())
    count = counted.count
    const why = counted.outcome === 'too-many' ? counted.why : refused
    const isWritten = counted.outcome === 'too-many' ? counted.isFirst : counted.outcome === 'counted'
    if (isWritten) await store?.appendEvents(sessionId, [eventOf(text, why)])
    if (counted.outcome === 'too-many') throw new Error(counted.why)
  }
}

function eventOf(request: string, why: string | null): OtherEvent {
  if (why === null) return { type: 'place.asked', request, decision: 'allowed' }
  return { type: 'place.asked', request, decision: 'refused', why: shorten(why) }
}

function shorten(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}
