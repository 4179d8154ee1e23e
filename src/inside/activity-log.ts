// `.ao/activity.jsonl`: the activity of agents that keep no such records of their own, one JSON line per reading.
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { ACTIVITY_STATES, type ActivityState } from '../contract/status.ts'
import { writeAll } from '../lib/atomic-write.ts'
import { endsWithNewline, openForAppend, readTail } from '../lib/plain-file.ts'
import { ensureAoDirectory } from './agents-md.ts'

export interface ActivityEntry {
  state: ActivityState
  /** Where it was read: `terminal`, or reported by the agent. */
  source: string
  /** The line of the screen, or the fact, behind it. */
  trigger?: string | undefined
}

export interface LoggedActivity extends ActivityEntry {
  at: Date
}

const REPEAT_WINDOW_MS = 20_000
const TAIL_BYTES = 16 * 1024
/** A person has to act on these: each sighting is worth a line. */
const ACTIONABLE: ReadonlySet<ActivityState> = new Set(['waiting_input', 'blocked'])

/** false: the same was recorded less than 20 seconds ago, and nobody has to act on it. */
export function recordActivityEntry(workspacePath: string, entry: ActivityEntry, now: Date): boolean {
  const last = readLastActivityEntry(workspacePath)
  if (last && isRepetition(last, entry, now)) return false
  const file = join(ensureAoDirectory(workspacePath), 'activity.jsonl')
  const line = JSON.stringify({ ts: now.toISOString(), ...entry })
  // Never through a link: a repository could contain one of this name.
  const fd = openForAppend(file)
  try {
    // A writer that died half-way left no newline; our line must not become part of its line.
    writeAll(fd, Buffer.from(`${endsWithNewline(fd) ? '' : '\n'}${line}\n`))
  } finally {
    closeSync(fd)
  }
  return true
}

/** The newest readable entry, from the file's tail; null when there is none. */
export function readLastActivityEntry(workspacePath: string): LoggedActivity | null {
  const lines = readEnd(join(workspacePath, '.ao', 'activity.jsonl')).split('\n')
  for (const line of lines.reverse()) {
    const entry = parseEntry(line)
    if (entry) return entry
  }
  return null
}

function isRepetition(last: LoggedActivity, entry: ActivityEntry, now: Date): boolean {
  if (last.state !== entry.state || ACTIONABLE.has(entry.state)) return false
  const age = now.getTime() - last.at.getTime()
  return age >= 0 && age < REPEAT_WINDOW_MS
}

function parseEntry(line: string): LoggedActivity | null {
  if (!line.startsWith('{')) return null
  try {
    const { ts, state, source, trigger } = JSON.parse(line) as Record<string, unknown>
    const at = new Date(String(ts))
    if (Number.isNaN(at.getTime()) || !isActivityState(state)) return null
    return { at, state, source: String(source ?? ''), trigger: typeof trigger === 'string' ? trigger : undefined }
  } catch {
    // Half a line of a writer that died, or the tail's first line, cut in the middle.
    return null
  }
}

function isActivityState(word: unknown): word is ActivityState {
  return (ACTIVITY_STATES as readonly unknown[]).includes(word)
}

function readEnd(file: string): string {
  try {
    return readTail(file, TAIL_BYTES, { noFollow: true }).toString('utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    // Nothing was recorded yet, or something else is in its place: either way nothing is known.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'FILE_UNUSABLE') return ''
    throw error
  }
}
