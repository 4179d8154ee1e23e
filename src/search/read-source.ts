// The files that are searched, read in pieces of about the same size. A piece is found again by where it begins and ends, so that
// the index itself holds no text: what is shown comes from the file, and is gone with it.
import { closeSync, constants, fstatSync, type Stats, statSync } from 'node:fs'
import { setImmediate as nextRound } from 'node:timers/promises'
import { readEventsAfter } from '../agh/store/read-log.ts'
import type { EventRow } from '../contract/agh/events.ts'
import { TURN_ENDS, toSessionEvent } from '../contract/agh/events.ts'
import type { Unit } from '../core/search/find-in-unit.ts'
import { castStart, unitOfCast, unitOfHistory, unitOfRecord, unitsOfEvents } from '../core/search/read-units.ts'
import { type JsonObject, parseObject } from '../core/text/json-fields.ts'
import { openPlain, readRange } from '../lib/plain-file.ts'
import type { AgentTranscripts, TranscriptRows } from '../slots/agent.ts'

export interface Source {
  kind: 'prompt' | 'message' | 'terminal' | 'conversation' | 'diff'
  /** Which of this kind: the part of a recording, the session of agh or the agent's own file, the two commits of a diff. */
  name: string
  path: string
  /** What reads the agent's own; null: no plugin does. */
  transcripts?: AgentTranscripts | null
}

/** Bytes of a file; of a conversation, the sequences of its events, or how many of its records come before. */
export interface Piece {
  from: number
  /** Not part of it any longer. */
  to: number
  units: Unit[]
}

const PIECE_BYTES = 32 * 1024
const LONGEST_LINE = 2 * 1024 * 1024
/** Whatever is beyond in one file is not searched. */
const MOST_BYTES = 32 * 1024 * 1024
const MOST_EVENTS = 200_000
const PAGE = 1_000
/** Of an agent's records, in one piece. */
const ROWS = 20

/** What a file was like when it was read. */
export interface Stamp {
  inode: number
  bytes: number
  /** Milliseconds since 1970. */
  changed: number
}

/** What the agent itself wrote about its conversation; others are in the database of agh. */
export function isTranscript({ kind, name }: Pick<Source, 'kind' | 'name'>): boolean {
  return kind === 'conversation' && name.startsWith('/')
}

/** null: there is none. */
export async function stampOf(source: Source): Promise<Stamp | null> {
  const { kind, name, path, transcripts } = source
  if (transcripts?.rows) return transcripts.rows.stamp(name)
  const stats = readStats(path)
  if (!stats?.isFile()) return null
  // Events are in the file beside it until they are moved.
  const wal = kind === 'conversation' && !isTranscript(source) ? readStats(`${path}-wal`) : undefined
  const bytes = stats.size + (wal?.size ?? 0)
  return { inode: stats.ino, bytes, changed: Math.max(stats.mtimeMs, wal?.mtimeMs ?? 0) }
}

function readStats(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // A loop of links, or nobody may read it: there is nothing to search in it.
    return undefined
  }
}

export function isSame(a: Stamp, b: Stamp): boolean {
  return a.inode === b.inode && a.bytes === b.bytes && a.changed === b.changed
}

export function readPieces(source: Source, from: number, to = Number.POSITIVE_INFINITY): AsyncGenerator<Piece> {
  const { transcripts, name } = source
  if (transcripts?.rows) return readRecords({ ...transcripts, rows: transcripts.rows }, name, from, to)
  const isLog = source.kind === 'conversation' && !isTranscript(source)
  return isLog ? readConversation(source.path, from, to) : readLines(source, from, to)
}

async function* readLines(source: Source, from: number, to: number): AsyncGenerator<Piece> {
  const { kind, path } = source
  // Agents write there: what a link names instead is not their conversation.
  const fd = openPlain(path, isTranscript(source) ? constants.O_RDONLY | constants.O_NOFOLLOW : undefined)
  try {
    const end = Math.min(to, fstatSync(fd).size, MOST_BYTES)
    const startedAt = kind === 'terminal' ? castStart(firstLine(readRange(fd, 0, Math.min(end, PIECE_BYTES)))) : 0
    for (let at = from; at < end; ) {
      const bytes = readWholeLines(fd, at, end)
      const text = bytes.toString('utf8')
      yield { from: at, to: at + bytes.length, units: unitsIn(source, text, startedAt, fstatSync(fd).mtimeMs) }
      at += bytes.length
      await nextRound()
    }
  } finally {
    closeSync(fd)
  }
}

/** A piece ends with a line, unless that is longer than all that is read at once. */
function readWholeLines(fd: number, from: number, end: number): Buffer {
  for (let size = PIECE_BYTES; ; size *= 4) {
    const until = Math.min(end, from + size)
    const bytes = readRange(fd, from, until)
    const length = until === end ? bytes.length : bytes.lastIndexOf(0x0a) + 1
    if (length > 0) return bytes.subarray(0, length)
    if (size >= LONGEST_LINE) return bytes
  }
}

function firstLine(bytes: Buffer): string {
  return bytes.toString('utf8').split('\n', 1)[0] ?? ''
}

function unitsIn({ kind, transcripts }: Source, text: string, startedAt: number, modifiedAt: number): Unit[] {
  if (kind === 'prompt') return [{ text, at: modifiedAt, sequence: null, files: [] }]
  const lines = text.split('\n')
  if (kind === 'message') return lines.flatMap((line) => unitOfHistory(line) ?? [])
  if (kind === 'conversation') return lines.flatMap((line) => unitSpoken(transcripts, parseObject(line)) ?? [])
  const unit = unitOfCast(lines, startedAt)
  return unit === null ? [] : [unit]
}

function unitSpoken(transcripts: AgentTranscripts | null | undefined, record: JsonObject | null): Unit | null {
  const spoken = record && transcripts?.spokenIn(record)
  return spoken ? unitOfRecord(record, spoken) : null
}

async function* readRecords(
  transcripts: AgentTranscripts & { rows: TranscriptRows },
  name: string,
  from: number,
  to: number,
): AsyncGenerator<Piece> {
  // Once: to count from the first one for every piece takes ever longer.
  const keys = await transcripts.rows.keys(name, Math.min(to, MOST_EVENTS))
  for (let [at, read] = [from, 0]; at < keys.length && read < MOST_BYTES; at += ROWS) {
    const some = keys.slice(at, at + ROWS)
    const units = (await transcripts.rows.read(name, some)).flatMap((record) => unitSpoken(transcripts, record) ?? [])
    yield { from: at, to: at + some.length, units }
    read += units.reduce((sum, { text }) => sum + text.length, 0)
    await nextRound()
  }
}

/** Pieces end with a turn where they can; a turn that is longer is cut where another message begins. */
async function* readConversation(path: string, from: number, to: number): AsyncGenerator<Piece> {
  let rows: EventRow[] = []
  let bytes = 0
  let read = 0
  for (let after = from; after < MOST_EVENTS && read < MOST_BYTES; ) {
    const most = Math.min(PAGE, to - after - 1)
    const page = (await readEventsAfter(path, after, most)).filter(({ sequence }) => sequence < to)
    for (const row of page) {
      const before = rows.at(-1)
      if (before && bytes > PIECE_BYTES && (endsTurn(before) || row.type !== before.type)) {
        yield pieceOf(rows)
        rows = []
        bytes = 0
      }
      rows.push(row)
      bytes += row.content.length
      read += row.content.length
    }
    if (page.length < PAGE) break
    after = page.at(-1)!.sequence
  }
  if (rows.length > 0) yield pieceOf(rows)
}

function endsTurn({ type }: EventRow): boolean {
  return TURN_ENDS.includes(type)
}

function pieceOf(rows: readonly EventRow[]): Piece {
  const events = rows.flatMap((row) => {
    try {
      return [toSessionEvent('', row)]
    } catch {
      // Damaged: the others are still found.
      return []
    }
  })
  return { from: rows[0]!.sequence - 1, to: rows.at(-1)!.sequence + 1, units: unitsOfEvents(events) }
}
