// A store in a HOME of its own, with a clock that the test moves.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../src/lib/log.ts'
import { createPaths } from '../../src/store/paths.ts'
import { createSessionStore, type SessionStore } from '../../src/store/session/session-store.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

export interface TempStore {
  temp: TempHome
  store: SessionStore
  clock: { now(): Date; set(iso: string): void }
  configPath: string
  /** Another process's view of the same files. */
  again(): SessionStore
}

export function createTempStore(projectId = 'my-service'): TempStore {
  const temp = createTempHome()
  const configDir = join(temp.home, 'work')
  const configPath = join(configDir, 'agent-orchestrator.yaml')
  mkdirSync(configDir)
  writeFileSync(configPath, 'projects: {}\n')
  let now = new Date('2024-01-15T10:30:00.000Z')
  const clock = {
    now: () => now,
    set: (iso: string) => {
      now = new Date(iso)
    },
  }
  const paths = createPaths({ configPath, home: temp.home, env: {} }).project(projectId)
  const again = () => createSessionStore({ projectId, paths, configPath, clock, log: silentLog })
  return { temp, store: again(), clock, configPath, again }
}

export const RESERVED = {
  type: 'session.reserved',
  project: 'my-service',
  agent: 'codex',
  branch: 'feat/ISSUE-42',
  issue: 'ISSUE-42',
  role: 'worker',
} as const

export const PAIRS = {
  project: 'my-service',
  status: 'spawning',
  branch: 'feat/ISSUE-42',
  createdAt: '2024-01-15T10:30:00.000Z',
}

/** The same as the store reads it back. */
export const STORED = { ...PAIRS, statusSince: PAIRS.createdAt }
