// When ao last started an agent and where that agent keeps its records: `{stateDir}/{agent}-launch.json`, written before
// the start. Earlier records say nothing about what is running now.
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { idField, textField, timeField } from '../../core/text/json-fields.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import type { OptionsSchema } from '../../slots/plugin.ts'
import type { TurnEvent } from './turn-event.ts'

export interface LaunchNote {
  launchedAt: Date
  /** The agent's own data directory at the time of the launch; settings may change later. */
  dataDir: string
  isResume: boolean
  /** The agent's own id of its session, where ao chose it. */
  agentSessionId?: string | undefined
}

export function writeLaunchNote(stateDir: string, agent: string, note: LaunchNote): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const text = JSON.stringify({ ...note, launchedAt: note.launchedAt.toISOString() }, null, 2)
  writeFileAtomic(noteFile(stateDir, agent), `${text}\n`)
}

/** null: no launch was prepared here, or the file is damaged. Read for every session of every list: no schema is loaded. */
export function readLaunchNote(stateDir: string, agent: string): LaunchNote | null {
  const file = noteFile(stateDir, agent)
  try {
    // Checking first is cheaper than an exception, and most agents in a list have no such file.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return null
    const note: unknown = JSON.parse(readPlainText(file))
    const launchedAt = textField(note, 'launchedAt') === null ? null : timeField(note, 'launchedAt')
    const dataDir = textField(note, 'dataDir')
    const isResume = (note as { isResume?: unknown } | null)?.isResume
    const agentSessionId = idField(note, 'agentSessionId') ?? undefined
    if (!launchedAt || dataDir === null || typeof isResume !== 'boolean') return null
    return { launchedAt, dataDir, isResume, agentSessionId }
  } catch {
    // Gone meanwhile, or not ours: nothing is known.
    return null
  }
}

/** For an agent whose plugin records more than a note. null: missing or damaged. */
export function readLaunchFile<T>(file: string, schema: OptionsSchema<T>): T | null {
  try {
    const parsed = schema.safeParse(JSON.parse(readPlainText(file)))
    return parsed.success ? parsed.data : null
  } catch {
    // Missing, or not JSON: nothing is known.
    return null
  }
}

/**
 * What a record means now: a resumed agent shows its old conversation and waits; a fresh one has nothing old. An agent that was
 * started in the future shows that the clock went back: then nobody can tell its new records from its old ones.
 */
export function sinceLaunch(turn: TurnEvent | null, note: LaunchNote | null, now: Date): TurnEvent | null {
  if (turn === null || note === null || turn.at >= note.launchedAt) return turn
  if (!note.isResume || note.launchedAt > now) return null
  return { kind: 'finished', at: note.launchedAt, evidence: 'it was resumed and nothing was said to it since' }
}

function noteFile(stateDir: string, agent: string): string {
  return join(stateDir, `${agent}-launch.json`)
}
