// What every operation of the session store works with.
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { ProjectPaths } from './paths.ts'

export interface StoreContext {
  projectId: string
  paths: ProjectPaths
  /** Absolute real path of agent-orchestrator.yaml, kept in `.origin`. */
  configPath: string
  clock: Clock
  log: Log
}
