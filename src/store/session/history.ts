// The history of a session, `history/{sessionId}.jsonl`: append-only, one event a line, numbered without gaps.
import { closeSync, fdatasyncSync, ftruncateSync } from 'node:fs'
import type { SessionEvent, SessionEventBody } from '../../contract/events.ts'
import { isSafeName } from '../../contract/ids.ts'
import { syncDirectory, writeAll } from '../../lib/atomic-write.ts'
import { openForAppend, readIfThere } from '../../lib/plain-file.ts'
import type { ProjectPaths } from '../paths.ts'
import type { StoreContext } from '../store-context.ts'
import { parseEvent, readHistoryEnd } from './history-end.ts'
import { listFiles } from './session-file.ts'

export interface History {
  events: SessionEvent[]
  /** Lines that are no event, and jumps in the numbers. */
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
    if (end.size === 0) syncDirectory(context.paths.history)
    return events
  } finally {
    closeSync(fd)
  }
}

/** Ids of all sessions that ever had one, archived ones too. */
export function listHistories(paths: Pick<ProjectPaths, 'history'>): string[] {
  return listFiles(paths.history)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
}

const SUFFIX = '.jsonl'

/** Never throws on what the file holds; a missing file is an empty history. */
export function readHistory(paths: ProjectPaths, sessionId: string, options: { after?: number } = {}): History {
  const text = isSafeName(sessionId) ? (readIfThere(paths.historyFile(sessionId)) ?? '') : ''
  const events: SessionEvent[] = []
  const problems: string[] = []
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const event = parseEvent(line)
    if (event) {
      const previous = events.at(-1)?.seq ?? 0
      if (event.seq !== previous + 1) problems.push(`line ${index + 1}: event ${event.seq} follows ${previous}`)
      events.push(event)
      continue
    }
    // What stands after the last newline is being written now, or was when the writer died: it was never promised.
    if (line !== '' && index < lines.length - 1) problems.push(`line ${index + 1} is no event`)
  }
  const after = options.after ?? 0
  return { events: after > 0 ? events.filter((event) => event.seq > after) : events, problems }
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
