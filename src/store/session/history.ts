// The history of a session, `history/{sessionId}.jsonl`: append-only, one event per line, numbered without gaps; read
// from its end, in pages for a reader that continues where it stopped, or what is new since the last read.
import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync } from 'node:fs'
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { isSafeName } from '../../contract/ids.ts'
import { syncPath, writeAll } from '../../lib/atomic-write.ts'
import { type FileLine, findOffset, linesAfter, linesBefore, lineWithin } from '../../lib/file-lines.ts'
import { filesIn, openForAppend, openPlain } from '../../lib/plain-file.ts'
import type { ProjectPaths } from '../paths.ts'
import type { StoreContext } from '../store-context.ts'

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

interface HistoryEnd {
  lastSeq: number
  size: number
  /** Up to here the file consists of whole lines; anything after it was left by a writer that died half-way. */
  soundSize: number
  /** The last event is complete, only its newline is missing. */
  lacksNewline: boolean
}

function readHistoryEnd(fd: number): HistoryEnd {
  const { size } = fstatSync(fd)
  let soundSize = size
  for (const line of linesBefore(fd, size)) {
    const event = eventOf(line)
    if (event) return { lastSeq: event.seq, size, soundSize, lacksNewline: !line.isWhole }
    if (!line.isWhole) soundSize = line.start
  }
  return { lastSeq: 0, size, soundSize, lacksNewline: false }
}

/** Ids of all sessions that ever had one, including archived ones. */
export function listHistories(paths: Pick<ProjectPaths, 'history'>): string[] {
  return filesIn(paths.history)
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
  /** Only these. Gaps between them are no problem. */
  types?: ReadonlySet<string>
}

/** Never throws because of the file's content; a missing file is an empty history. With a bound only its end is read. */
export function readHistory(paths: ProjectPaths, sessionId: string, options: ReadHistoryOptions = {}): History {
  const isBounded = options.last !== undefined || options.maxBytes !== undefined || options.types !== undefined
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
      const isBeginning = previous === 0 && event.type === 'data.dropped'
      if (previous !== null && event.seq !== previous + 1 && !isBeginning) {
        problems.push(`${where}: event ${event.seq} follows ${previous}`)
      }
      previous = event.seq
      if (event.seq > after) events.push(event)
    } else if (isDamage(line)) problems.push(`${where} is not an event`)
  }
  return { events, problems }
}

function readEnd(fd: number, size: number, options: ReadHistoryOptions): History {
  const { after = 0, last = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY, types } = options
  const events: SessionEvent[] = []
  const problems: string[] = []
  for (const line of linesBefore(fd, size)) {
    if (events.length >= last || size - line.start > maxBytes) break
    if (types && !mayBeOf(line, types)) continue
    const event = eventOf(line)
    const next = events.at(-1)?.seq
    if (!event) {
      if (isDamage(line)) problems.push(`a line before event ${next ?? 'to come'} is not an event`)
      continue
    }
    if (event.seq <= after) break
    if (types && !types.has(event.type)) continue
    if (!types && next !== undefined && next !== event.seq + 1) problems.push(`event ${next} follows ${event.seq}`)
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

export interface HistoryPage {
  events: SessionEvent[]
  /** Where the next page begins; only for the same file. */
  next: number
  /** There was more when this was read. */
  hasMore: boolean
}

export interface PageRequest {
  /** Only events with a higher number. */
  after: number
  /** `next` of the previous page; without it the offset is searched for. */
  from?: number | undefined
  maxEvents: number
  /** At least one event is returned, however long it is. */
  maxBytes: number
  /** Begins at most this far from the end, for a reader that has nothing yet. */
  startWithin?: number
}

export function readHistoryPage(paths: ProjectPaths, sessionId: string, request: PageRequest): HistoryPage {
  const { after, maxEvents, maxBytes, startWithin } = request
  const empty: HistoryPage = { events: [], next: 0, hasMore: false }
  return withHistory(paths, sessionId, empty, (fd, size) => {
    // A file that has become shorter is a different one.
    const offset = request.from !== undefined && request.from <= size ? request.from : undefined
    const beginning = startWithin === undefined ? 0 : lineWithin(fd, size, startWithin)
    const start = offset ?? (after > 0 ? offsetAfter(fd, size, after) : beginning)
    const page: HistoryPage = { events: [], next: start, hasMore: false }
    for (const line of linesAfter(fd, start, size)) {
      const isFull = page.events.length >= maxEvents || (page.events.length > 0 && line.end - start > maxBytes)
      if (isFull) return { ...page, hasMore: true }
      const event = eventOf(line)
      // Half a line is read again once it is complete.
      if (!event && !line.isWhole) break
      page.next = line.end
      if (event && event.seq > after) page.events.push(event)
    }
    return page
  })
}

/** Passes on every event of these types after `from`, in order; returns where the next read begins. */
export function scanHistory(
  paths: ProjectPaths,
  sessionId: string,
  { from, types }: { from: number; types?: ReadonlySet<string> },
  take: (event: SessionEvent) => void,
): number {
  return withHistory(paths, sessionId, 0, (fd, size) => {
    let next = from
    for (const line of linesAfter(fd, from, size)) {
      if (!line.isWhole && !eventOf(line)) break
      next = line.end
      if (types && !mayBeOf(line, types)) continue
      const event = eventOf(line)
      if (event && (!types || types.has(event.type))) take(event)
    }
    return next
  })
}

/** The newest events of these types, the last one first, until `take` has enough. */
export function scanBackwards(
  paths: ProjectPaths,
  sessionId: string,
  types: ReadonlySet<string>,
  take: (event: SessionEvent) => 'more' | 'enough',
): void {
  withHistory(paths, sessionId, undefined, (fd, size) => {
    for (const line of linesBefore(fd, size)) {
      const event = mayBeOf(line, types) ? eventOf(line) : null
      if (event && types.has(event.type) && take(event) === 'enough') return
    }
  })
}

export function lastOf<T extends SessionEvent['type']>(
  paths: ProjectPaths,
  sessionId: string,
  type: T,
): Extract<SessionEvent, { type: T }> | null {
  return (lastOnes(paths, sessionId, type, 1)[0] ?? null) as Extract<SessionEvent, { type: T }> | null
}

/** The newest ones of a type, in order. */
export function lastOnes<T extends SessionEvent['type']>(
  paths: ProjectPaths,
  sessionId: string,
  type: T,
  count: number,
): Array<Extract<SessionEvent, { type: T }>> {
  const { events } = readHistory(paths, sessionId, { last: count, types: new Set([type]) })
  return events as Array<Extract<SessionEvent, { type: T }>>
}

/** `nothing`: there is no such history. */
function withHistory<T>(paths: ProjectPaths, sessionId: string, nothing: T, read: (fd: number, size: number) => T): T {
  if (!isSafeName(sessionId)) return nothing
  let fd: number
  try {
    fd = openPlain(paths.historyFile(sessionId), constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return nothing
    throw error
  }
  try {
    return read(fd, fstatSync(fd).size)
  } finally {
    closeSync(fd)
  }
}

export function eventOf({ bytes }: FileLine): SessionEvent | null {
  const line = bytes?.toString('utf8')
  if (!line?.startsWith('{')) return null
  try {
    const value = JSON.parse(line) as SessionEvent
    return Number.isSafeInteger(value.seq) && typeof value.type === 'string' ? value : null
  } catch {
    // Half a line, or something that was never an event: the caller reports it where it matters.
    return null
  }
}

/** Text after the last newline was never acknowledged, and an empty line does not count. */
function isDamage({ bytes, isWhole }: FileLine): boolean {
  return isWhole && bytes?.length !== 0
}

const HEAD_BYTES = 400

/** Without parsing it: `type` is near the beginning of our lines, and quotes inside a value are escaped. */
function mayBeOf({ bytes }: FileLine, types: ReadonlySet<string>): boolean {
  const type = /"type":"([^"]*)"/.exec(bytes?.toString('latin1', 0, HEAD_BYTES) ?? '')?.[1]
  return type === undefined || types.has(type)
}

/** The start of a line with no later event before it than this number: numbers only grow. */
function offsetAfter(fd: number, size: number, after: number): number {
  return findOffset(fd, size, (line) => {
    const event = eventOf(line)
    return event && event.seq <= after
  })
}
