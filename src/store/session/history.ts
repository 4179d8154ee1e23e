// The history of a session, `history/{sessionId}.jsonl`: append-only, one event per line, numbered without gaps.
import { closeSync, fdatasyncSync, ftruncateSync } from 'node:fs'
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { syncPath, writeAll } from '../../lib/atomic-write.ts'
import { openForAppend } from '../../lib/plain-file.ts'
import type { ProjectPaths } from '../paths.ts'
import type { StoreContext } from '../store-context.ts'
import { readHistoryEnd } from './history-end.ts'
import { linesAfter, linesBefore } from './history-lines.ts'
import { eventOf, isDamage, offsetAfter, withHistory } from './history-pages.ts'
import { listFiles } from './session-file.ts'

export interface History {
  events: SessionEvent[]
  /** Lines that are not events, and gaps in the numbers. */
  problems: string[]
}

type HistoryContext = Pick<StoreContext, 'paths' | 'clock'>

/** Only under the session's lock: the next number is read from the file's end. */
export function appendHistory(context: HistoryContext, sessionId: string, bodies: SessionEventBody[]): SessionEvent[] {
  if (bodies.length === 0) return []
  const at = context.clock.now().toISOString()
  const fd = openForAppend(context.paths.historyFile(sessionId))
  try {
    const end = readHistoryEnd(fd)
    const events = bodies.map((body, index) => ({ seq: end.lastSeq + 1 + index, at, sessionId, ...body }))
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
    if (end.size > end.soundSize) ftruncateSync(fd, end.soundSize)
    appendWhole(fd, Buffer.from(`${end.lacksNewline ? '\n' : ''}${lines}`), end.soundSize)
    if (end.size === 0) syncPath(context.paths.history)
    return events
  } finally {
    closeSync(fd)
  }
}

/** Ids of all sessions that ever had one, including archived ones. */
export function listHistories(paths: Pick<ProjectPaths, 'history'>): string[] {
  return listFiles(paths.history)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
}

const SUFFIX = '.jsonl'

export interface ReadHistoryOptions {
  /** Only events with a higher number. */
  after?: number
  /** At most this many, the newest ones. */
  last?: number
  /** At most about this much of the file, from its end. */
  maxBytes?: number
}

/** Never throws because of the file's content; a missing file is an empty history. With a bound only its end is read. */
export function readHistory(paths: ProjectPaths, sessionId: string, options: ReadHistoryOptions = {}): History {
  const isBounded = options.last !== undefined || options.maxBytes !== undefined
  const empty: History = { events: [], problems: [] }
  return withHistory(paths, sessionId, empty, (fd, size) => (isBounded ? readEnd : readOn)(fd, size, options))
}

function readOn(fd: number, size: number, { after = 0 }: ReadHistoryOptions): History {
  const events: SessionEvent[] = []
  const problems: string[] = []
  const from = after > 0 ? offsetAfter(fd, size, after) : 0
  let previous = from > 0 ? null : 0
  let number = 0
  for (const line of linesAfter(fd, from, size)) {
    number += 1
    const event = eventOf(line)
    const where = from > 0 ? `a line after event ${after}` : `line ${number}`
    if (event) {
      if (previous !== null && event.seq !== previous + 1) {
        problems.push(`${where}: event ${event.seq} follows ${previous}`)
      }
      previous = event.seq
      if (event.seq > after) events.push(event)
    } else if (isDamage(line)) problems.push(`${where} is not an event`)
  }
  return { events, problems }
}

function readEnd(fd: number, size: number, options: ReadHistoryOptions): History {
  const { after = 0, last = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = options
  const events: SessionEvent[] = []
  const problems: string[] = []
  for (const line of linesBefore(fd, size)) {
    if (events.length >= last || size - line.start > maxBytes) break
    const event = eventOf(line)
    const next = events.at(-1)?.seq
    if (!event) {
      if (isDamage(line)) problems.push(`a line before event ${next ?? 'to come'} is not an event`)
      continue
    }
    if (event.seq <= after) break
    if (next !== undefined && next !== event.seq + 1) problems.push(`event ${next} follows ${event.seq}`)
    events.push(event)
  }
  return { events: events.reverse(), problems: problems.reverse() }
}

/** All or nothing: a disk that fills up half-way must not leave half an event. */
function appendWhole(fd: number, data: Buffer, sizeBefore: number): void {
  try {
    writeAll(fd, data)
    fdatasyncSync(fd)
  } catch (error) {
    ftruncateSync(fd, sizeBefore)
    throw error
  }
}
