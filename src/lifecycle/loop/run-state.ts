// Where a running loop is found: one lock, one state file and one log per configuration, in `~/.ao/run`.
import { mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { userConfigPath } from '../../config/find-config.ts'
import { repositoryBase } from '../../contract/dashboard/page-paths.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { lockOwner } from '../../lib/lock.ts'
import { readIfThere, readPlainText } from '../../lib/plain-file.ts'
import {
  currentProcess,
  formatIdentity,
  type ProcessState,
  parseIdentity,
  processState,
} from '../../lib/process/process-identity.ts'
import { sha256Hex } from '../../lib/sha256-hex.ts'
import { AO_VERSION } from '../../lib/version.ts'
import type { AoPaths } from '../../store/paths.ts'

export interface RunFiles {
  lock: string
  /** Held while a command changes the configuration file. */
  configLock: string
  /** Its texts before the last changes that ao made. */
  configKept: string
  state: string
  log: string
  /** Ids of accepted webhook deliveries: none is accepted twice. */
  deliveries: string
  /** The bearer token of API clients. */
  token: string
  /** One-time links that have not been used yet. */
  signIn: string
  /** Browsers that are signed in. */
  browsers: string
  /** Devices with a token and rights of their own. */
  devices: string
  /** Links that pair a device and have not been used yet. */
  pairings: string
  /** Browsers that get push messages. */
  push: string
  /** What push messages are signed with. */
  pushKeys: string
  /** Requests with an `Idempotency-Key`, and their answers. */
  requests: string
  /** The key that links in notifications are signed with. */
  links: string
  /** Where the loop prints lists for commands of this user. */
  socket: string
  /** In the data directory, beside the snapshots of what ao does. */
  outbox: string
}

export interface RunState {
  /** `pid:start:boot` of the loop. */
  process: string
  pid: number
  configPath: string
  port: number
  /** The address under which other machines open the page; absent: none of them can. */
  reached?: string
  startedAt: string
  /** The version of ao that runs it; absent: from source, or before it was recorded. */
  version?: string
  /** When it ended on its own; absent while it is running, and after a crash. */
  stoppedAt?: string
  projects: string[]
  /** null: it writes to a terminal. */
  log: string | null
  /** The configuration whose keys open the page that several share; absent: its own. */
  host?: string
  /** Other configurations may join this process. */
  joins?: true
  /** Why the current configuration file is not in effect. */
  configProblem?: string
  /** The file that the two above refer to: whoever changed it can see when the loop has judged the change. */
  configDigest?: string
}

/** A fingerprint of the configuration file's content; null: it cannot be read now. */
export function configDigest(configPath: string): string | null {
  try {
    return sha256Hex(readPlainText(configPath))
  } catch {
    // Being replaced, gone, or unreadable: the configuration in effect stays.
    return null
  }
}

/** The same of the user's own configuration below it; empty: there is none that can be read. */
export function userDigest(location: { env: NodeJS.ProcessEnv; home: string }): string {
  const path = userConfigPath(location)
  return (path === null ? null : configDigest(path)) ?? ''
}

export function runFiles(paths: Pick<AoPaths, 'home' | 'hash' | 'observability'>): RunFiles {
  const base = join(paths.home, '.ao', 'run', paths.hash)
  return {
    lock: `${base}.lock`,
    configLock: `${base}.config.lock`,
    configKept: `${base}.config-kept`,
    state: `${base}.json`,
    log: `${base}.log`,
    deliveries: `${base}.deliveries`,
    token: `${base}.token`,
    signIn: `${base}.sign-in`,
    browsers: `${base}.browsers`,
    devices: `${base}.devices`,
    pairings: `${base}.pairings`,
    push: `${base}.push`,
    pushKeys: `${base}.push-keys`,
    links: `${base}.links`,
    requests: `${base}.requests`,
    socket: `${base}.sock`,
    outbox: join(dirname(paths.observability), 'outbox'),
  }
}

export function readRunState(files: RunFiles): RunState | null {
  try {
    const state = JSON.parse(readPlainText(files.state)) as RunState
    return typeof state.process === 'string' && Array.isArray(state.projects) ? state : null
  } catch {
    // Never started, or not one of our state files: the lock shows whether something is running.
    return null
  }
}

/**
 * The same, or what its lock shows where that names another process: a state that was removed, damaged or forged hides no loop.
 * Then nothing but its process is certain.
 */
export function findRunning(files: RunFiles): RunState | null {
  const state = readRunState(files)
  if (loopState(state) !== 'dead') return state
  const identity = parseIdentity(lockOwner(files.lock) ?? '')
  if (identity === null || processState(identity) === 'dead') return state
  const { configPath = '', startedAt = '' } = state ?? {}
  return {
    process: formatIdentity(identity),
    pid: identity.pid,
    configPath,
    port: 0,
    startedAt,
    projects: [],
    log: null,
  }
}

/** Every loop of this home that has ever reported itself. */
export function runStates(home: string): RunState[] {
  const directory = join(home, '.ao', 'run')
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => {
        const state = JSON.parse(readIfThere(join(directory, name)) ?? 'null') as RunState | null
        return typeof state?.process === 'string' ? [state] : []
      })
  } catch {
    // Never started, or not readable: none is known.
    return []
  }
}

export function writeRunState(files: RunFiles, state: Omit<RunState, 'process' | 'pid'>): RunState {
  const identity = currentProcess()
  const version = AO_VERSION === null ? {} : { version: AO_VERSION }
  const whole: RunState = { process: formatIdentity(identity), pid: identity.pid, ...version, ...state }
  mkdirSync(dirname(files.state), { recursive: true, mode: 0o700 })
  writeFileAtomic(files.state, `${JSON.stringify(whole, null, 2)}\n`)
  return whole
}

/** Is the loop of this state running now? */
export function loopState(state: RunState | null): ProcessState {
  if (state === null || state.stoppedAt !== undefined) return 'dead'
  const identity = parseIdentity(state.process)
  return identity === null ? 'dead' : processState(identity)
}

/** The machine was rebooted since this loop ran. */
export function wasRebooted(state: RunState | null): boolean {
  const before = state === null ? null : parseIdentity(state.process)
  if (before === null || before.boot === '') return false
  return before.boot.split('-')[0] !== currentProcess().boot.split('-')[0]
}

type LoopPaths = Pick<AoPaths, 'home' | 'hash' | 'observability'>

/** Says the address of this configuration's pages now; undefined: no loop is running for it. */
export function runningPage(paths: LoopPaths): () => string | undefined {
  return () => {
    const state = readAlive(paths)
    if (!state?.port) return undefined
    return `http://localhost:${state.port}${state.host === undefined ? '' : repositoryBase(paths.hash)}`
  }
}

/** Says the port of the loop that is running for this configuration now; undefined: none. */
export function runningPort(paths: LoopPaths): () => number | undefined {
  return () => readAlive(paths)?.port
}

function readAlive(paths: LoopPaths): RunState | null {
  const state = readRunState(runFiles(paths))
  return state !== null && loopState(state) === 'alive' ? state : null
}
