// What an agent has around it: a HOME with the wrappers installed, a session's record, a state directory, a fake gh.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parsePairs } from '../../src/core/text/key-value.ts'
import { setupPathWrapperWorkspace } from '../../src/inside/path-wrappers.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

export const FAKE_BIN = fileURLToPath(new URL('./fixtures/bin', import.meta.url))

export interface InsideSession {
  temp: TempHome
  bin: string
  sessions: string
  stateDir: string
  file: string
  /** The environment of the agent. */
  env: NodeJS.ProcessEnv
  pairs(): Record<string, string>
  /** Changes with every rewrite of the record. */
  inode(): number
  run(command: string, args: string[], options?: RunOptions): SpawnSyncReturns<Buffer>
  bash(script: string, options?: RunOptions): SpawnSyncReturns<Buffer>
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  input?: string | Buffer
}

export async function createInsideSession(pairs: Record<string, string> = {}): Promise<InsideSession> {
  const temp = createTempHome()
  const project = join(temp.home, '.agent-orchestrator', 'a3b4c5d6e7f8-my-service')
  const sessions = join(project, 'sessions')
  const stateDir = join(project, 'state', 'svc-1')
  const file = join(sessions, 'svc-1')
  mkdirSync(join(sessions, '.locks'), { recursive: true })
  mkdirSync(stateDir, { recursive: true })
  const record = { project: 'my-service', status: 'working', branch: 'session/svc-1', ...pairs }
  writeFileSync(
    file,
    Object.entries(record)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  )
  const bin = await setupPathWrapperWorkspace({ home: temp.home, aoCommand: [process.execPath, 'ao.js'] })
  const env = {
    ...temp.env,
    PATH: [bin, FAKE_BIN, temp.env.PATH].join(':'),
    AO_SESSION: 'svc-1',
    AO_DATA_DIR: sessions,
    AO_STATE_DIR: stateDir,
    AO_CALLER_TYPE: 'agent',
  }
  const run: InsideSession['run'] = (command, args, options = {}) =>
    spawnSync(command, args, {
      env: { ...env, ...options.env },
      cwd: options.cwd ?? temp.home,
      input: options.input ?? '',
      maxBuffer: 256 * 1024 * 1024,
    })
  return {
    temp,
    bin,
    sessions,
    stateDir,
    file,
    env,
    pairs: () => parsePairs(readFileSync(file, 'utf8')).pairs,
    inode: () => statSync(file).ino,
    run,
    bash: (script, options) => run('bash', ['-c', script], options),
  }
}
