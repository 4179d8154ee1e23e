// What is left out of the files of an archived session to keep the disk within its limits; its history says so.
import { closeSync, fstatSync } from 'node:fs'
import type { SessionEventBody } from '../../contract/events.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { linesBefore } from '../../lib/file-lines.ts'
import { openPlain, readRange } from '../../lib/plain-file.ts'
import type { StoreContext } from '../store-context.ts'
import { appendHistory, eventOf } from './history.ts'
import { lockSession } from './update-session.ts'

type DropContext = Pick<StoreContext, 'paths' | 'clock'>
type Dropped = Extract<SessionEventBody, { type: 'data.dropped' }>

/** Written before it is done: what is announced and still there goes the next time. */
export function noteDropped(context: DropContext, sessionId: string, dropped: Omit<Dropped, 'type'>): Promise<unknown> {
  return lockSession(context, sessionId, () =>
    appendHistory(context, sessionId, [{ type: 'data.dropped', ...dropped }]),
  )
}

/** How it ended is what people look for. */
export const KEPT_HISTORY_BYTES = 64 * 1024

/** Only its end stays; the number of its first event is that of the last one that went. */
export function trimHistory(context: DropContext, sessionId: string): Promise<number> {
  return lockSession(context, sessionId, () => {
    const path = context.paths.historyFile(sessionId)
    const { first, seq, end } = endOf(path)
    if (seq === null || seq <= 1) return 0
    const last = seq - 1
    const at = context.clock.now().toISOString()
    const detail = `its first ${last} events, ${first} bytes`
    const event = { seq: last, at, sessionId, type: 'data.dropped', what: 'history', bytes: first, detail }
    writeFileAtomic(path, Buffer.concat([Buffer.from(`${JSON.stringify(event)}\n`), end]))
    return first
  })
}

/** The lines that stay, the number of the first event among them, and where it begins. */
function endOf(path: string): { first: number; seq: number | null; end: Buffer } {
  const fd = openPlain(path)
  try {
    const { size } = fstatSync(fd)
    let found: { first: number; seq: number | null } = { first: size, seq: null }
    for (const line of linesBefore(fd, size)) {
      if (found.seq !== null && size - line.start > KEPT_HISTORY_BYTES) break
      const seq = eventOf(line)?.seq
      if (seq !== undefined) found = { first: line.start, seq }
    }
    return { ...found, end: readRange(fd, found.first, size) }
  } finally {
    closeSync(fd)
  }
}
