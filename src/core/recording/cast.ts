// asciicast v2, the format of recorded terminals: a header and events, one line of JSON each. A recording consists of parts,
// and each part is a whole asciicast of its own, so that old ones can be dropped. Pure.
import { MAX_TERMINAL_SIZE, MIN_TERMINAL_SIZE, type TerminalSize } from '../../contract/terminal-frames.ts'

export interface CastHeader extends TerminalSize {
  /** Milliseconds since 1970. */
  startedAt: number
  /** The start of the agent that it shows. */
  launch: string
}

/** Output, a new size (`120x40`), or a mark for people. */
export type CastKind = 'o' | 'r' | 'm'

export interface CastEvent {
  /** Milliseconds since 1970. */
  at: number
  kind: CastKind
  data: string
}

/** Marks of ours begin like this. */
export const END_MARK = 'ended: '
export const GAP_MARK = 'not recorded '

export function formatHeader({ cols, rows, startedAt, launch }: CastHeader): string {
  const header = { version: 2, width: cols, height: rows, timestamp: Math.floor(startedAt / 1000) }
  return `${JSON.stringify({ ...header, env: { TERM: 'xterm-256color' }, ao: { startedAt, launch } })}\n`
}

export function formatEvent({ at, kind, data }: CastEvent, startedAt: number): string {
  const seconds = Math.max(0, Math.round(at - startedAt)) / 1000
  return `[${seconds}, "${kind}", ${JSON.stringify(data)}]\n`
}

/** null: not an asciicast that we wrote. */
export function parseHeader(line: string): CastHeader | null {
  const header = parse(line)
  if (typeof header !== 'object' || header === null) return null
  const { version, width, height, ao } = header as Record<string, unknown>
  const { startedAt, launch } = (ao ?? {}) as Record<string, unknown>
  const size = checkSize(width, height)
  if (version !== 2 || !size || !isTime(startedAt) || typeof launch !== 'string') return null
  return { ...size, startedAt, launch }
}

/** null: half a line of a writer that was killed, or something else. */
export function parseEvent(line: string, startedAt: number): CastEvent | null {
  const event = parse(line)
  if (!Array.isArray(event)) return null
  const [seconds, kind, data] = event
  if (!isTime(seconds) || typeof data !== 'string') return null
  if (kind !== 'o' && kind !== 'r' && kind !== 'm') return null
  if (kind === 'r' && parseSize(data) === null) return null
  const at = startedAt + seconds * 1000
  return isTime(at) ? { at, kind, data } : null
}

export function formatSize({ cols, rows }: TerminalSize): string {
  return `${cols}x${rows}`
}

export function parseSize(data: string): TerminalSize | null {
  const [, cols, rows] = /^(\d{1,5})x(\d{1,5})$/.exec(data) ?? []
  return checkSize(Number(cols), Number(rows))
}

/** Nothing that a recording claims is trusted: a terminal of a million columns would take all memory. */
function checkSize(cols: unknown, rows: unknown): TerminalSize | null {
  const fits = (value: unknown, key: keyof TerminalSize): value is number =>
    Number.isInteger(value) &&
    (value as number) >= MIN_TERMINAL_SIZE[key] &&
    (value as number) <= MAX_TERMINAL_SIZE[key]
  return fits(cols, 'cols') && fits(rows, 'rows') ? { cols, rows } : null
}

/** Beyond it there is no date. */
const LATEST = 8.64e15

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LATEST
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Not JSON, so neither of both: that is the answer.
    return null
  }
}
