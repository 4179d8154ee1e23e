// What every operation on sessions shares: where things are, the configuration, time, and the sessions that live here.
import type { AghConfig } from '../../contract/agh/config.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { AghPaths } from '../paths.ts'
import type { LiveSession } from './live-session.ts'

export interface AghContext {
  paths: AghPaths
  config: AghConfig
  /** Of the daemon; agents get it too. */
  env: NodeJS.ProcessEnv
  clock: Clock
  log: Log
  live: Map<string, LiveSession>
  /** Starts under way: such a session is not stale, though its metadata says `starting`. */
  starting: Map<string, Promise<LiveSession>>
  /** Newest session of each driver's key; there before anything of it is started. */
  driven: Map<string, string>
  /** Work on the tasks of each workspace, one after the other. */
  coordinating: Map<string, Promise<void>>
  /** The daemon ends: nothing new is started. */
  closing: boolean
  /** How sessions ended whose end could not be written. Readers are shown this; a repair tries again. */
  unwritten: Map<string, SessionMeta>
  /** Repairs under way, so that two commands do not repair the same session at once. */
  repairing: Map<string, Promise<unknown>>
}

export function nowIso(context: AghContext): string {
  return context.clock.now().toISOString()
}

export function nowMs(context: AghContext): number {
  return context.clock.now().getTime()
}
