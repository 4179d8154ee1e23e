// A place that is paused: nothing runs in it, and its disk is kept. Home remembers it until the session is started there again
// or removed.
import { join } from 'node:path'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { readIfThere } from '../../../lib/plain-file.ts'
import { removeFile } from '../../../lib/remove.ts'
import type { LaunchKey } from './line-files.ts'
import type { PlaceContext } from './place-context.ts'
import type { LaunchHandle } from './place-handle.ts'

export interface PausedPlace {
  /** The place's name in the configuration. */
  place: string
  engine: string
  ref: string
  /** The launch that was paused. */
  spawnId: string
}

const pausedFile = (stateDir: string) => join(stateDir, 'paused-place.json')

export function readPaused(stateDir: string): PausedPlace | null {
  const text = readIfThere(pausedFile(stateDir))
  return text === null ? null : (JSON.parse(text) as PausedPlace)
}

export function writePaused(stateDir: string, paused: PausedPlace): void {
  writeFileAtomic(pausedFile(stateDir), JSON.stringify(paused), { mode: 0o600 })
}

export function forgetPaused(stateDir: string): void {
  removeFile(pausedFile(stateDir))
}

/** The place that this session left paused, or a new one. Remembered as paused until the agent runs: see `leavePlace`. */
export async function startPlace({ engine, name }: PlaceContext, launch: LaunchHandle): Promise<string> {
  const paused = readPaused(launch.stateDir)
  if (paused?.place !== name) return engine.start(launch)
  const resumed = await engine.resume?.(paused.ref, launch)
  if (resumed) return resumed
  // It was deleted by somebody, or the place is configured otherwise now.
  await engine.stop(paused.ref)
  forgetPaused(launch.stateDir)
  return engine.start(launch)
}

/** A launch failed: a place that was paused before it is paused again, any other one is given back. */
export async function leavePlace({ engine }: PlaceContext, stateDir: string, ref: string): Promise<void> {
  if (engine.pause && readPaused(stateDir) !== null) await engine.pause(ref)
  else await engine.stop(ref)
}

/** The session is removed, or continues elsewhere. */
export async function releasePaused({ engine }: PlaceContext, launch: LaunchKey): Promise<void> {
  const paused = readPaused(launch.stateDir)
  if (paused?.spawnId !== launch.spawnId) return
  await engine.stop(paused.ref)
  forgetPaused(launch.stateDir)
}
