// What all operations on sessions share: paths, configuration, clock, and the live sessions.

import type { AghConfig } from '../../contract/agh/config.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Turns } from '../../lib/lock/turns.ts'
import type { Log } from '../../lib/log.ts'
import type { HostPool } from '../acp/host-pool.ts'
import type { AghPaths } from '../paths.ts'
import type { LiveSession } from './live-session.ts'

export interface AghContext {
  paths: AghPaths
  config: AghConfig
  /** The daemon's; agents get it too. */
  env: NodeJS.ProcessEnv
  clock: Clock
  log: Log
  live: Map<string, LiveSession>
  hosts: HostPool
  /** Starts in progress: such a session is not stale, although its metadata says `starting`. */
  starting: Map<string, Promise<LiveSession>>
  /** The newest session of each driver key; registered before anything of it is started. */
  driven: Map<string, string>
  /** Work on the tasks of each workspace, one at a time. */
  coordinating: Turns
  /** The daemon is shutting down: nothing new is started. */
  closing: boolean
  /** Aborted when the daemon ends without its agents: their sessions continue with the next one, and nothing acts on them here. */
  leaving: AbortController
  /** How sessions ended whose end could not be written. Readers are shown this; a repair tries again. */
  unwritten: Map<string, SessionMeta>
  /**
   * Sessions that can be neither continued nor repaired yet: their hosts do not answer, or the disk is full. They are tried again;
   * aborted once it worked.
   */
  postponed: Map<string, AbortController>
  /** Repairs in progress, so that two commands do not repair the same session at once. */
  repairing: Turns
}
