// When ao last started an agent and where that agent keeps its records: `{stateDir}/{agent}-launch.json`, written before
// the start. Records from before it tell nothing about what runs now.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { TurnEvent } from './turn-event.ts'

const noteSchema = z.object({
  launchedAt: z.string(),
  /** The agent's own data directory as it was at the launch; settings may change later. */
  dataDir: z.string(),
  isResume: z.boolean(),
})

export interface LaunchNote {
  launchedAt: Date
  dataDir: string
  isResume: boolean
}

export function writeLaunchNote(stateDir: string, agent: string, note: LaunchNote): void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const text = JSON.stringify({ ...note, launchedAt: note.launchedAt.toISOString() }, null, 2)
  writeFileAtomic(noteFile(stateDir, agent), `${text}\n`)
}

/** null: no launch was prepared here, or the note is damaged. */
export function readLaunchNote(stateDir: string, agent: string): LaunchNote | null {
  try {
    const { launchedAt, ...rest } = z.parse(noteSchema, JSON.parse(readFileSync(noteFile(stateDir, agent), 'utf8')))
    const at = new Date(launchedAt)
    return Number.isNaN(at.getTime()) ? null : { ...rest, launchedAt: at }
  } catch {
    // Not there, or not ours: both mean that nothing is known.
    return null
  }
}

/** What a record means now: a resumed agent shows its old conversation and waits; a fresh one has nothing old. */
export function sinceLaunch(turn: TurnEvent | null, note: LaunchNote | null): TurnEvent | null {
  if (turn === null || note === null || turn.at >= note.launchedAt) return turn
  if (!note.isResume) return null
  return { kind: 'finished', at: note.launchedAt, evidence: 'it was resumed and nothing was said to it since' }
}

function noteFile(stateDir: string, agent: string): string {
  return join(stateDir, `${agent}-launch.json`)
}
