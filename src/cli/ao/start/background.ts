// The loop as a process of its own: it outlives this terminal, and inside a session also that session.
import { closeSync, fstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import { withoutSession } from '../../../core/session/without-session.ts'
import { listenAddress } from '../../../dashboard/access/listen-address.ts'
import { outerAddress } from '../../../dashboard/access/outer-listener.ts'
import { requireFreePort } from '../../../dashboard/access/port-taken.ts'
import { sleep } from '../../../lib/clock.ts'
import { isHeld } from '../../../lib/lock.ts'
import { openForAppend, readSince } from '../../../lib/plain-file.ts'
import { resolveDataDir } from '../../../lib/process/own-home.ts'
import { startProgram } from '../../../lib/start-program.ts'
import {
  findRunning,
  loopState,
  type RunFiles,
  type RunState,
  readRunState,
} from '../../../lifecycle/loop/run-state.ts'
import type { Io } from '../../print/io.ts'
import { LEAN_NODE } from './lean-node.ts'

const START_MS = 30_000
const SHOWN_LOG = 4_000
/** Where the configuration says nothing. */
const USUAL_PORT = 3000

export async function startInBackground(config: OrchestratorConfig, files: RunFiles, io: Io): Promise<RunState> {
  // Reported here in its own words; from the process it would be a line in a log.
  outerAddress(config, io.home)
  const found = await findPort(config, files, io)
  if (found.other) return found.other
  mkdirSync(dirname(files.log), { recursive: true, mode: 0o700 })
  const log = openForAppend(files.log)
  const before = fstatSync(log).size
  const program = process.argv[1]
  if (program === undefined) throw new AoError('INTERNAL', 'ao does not know its own file')
  const child = startProgram(
    process.execPath,
    [
      ...LEAN_NODE,
      ...process.execArgv,
      program,
      'start',
      '--foreground',
      '--no-restore',
      '--config',
      config.configPath,
    ],
    {
      cwd: dirname(config.configPath),
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...ownEnvironment(io), ...found.env },
    },
  )
  closeSync(log)
  let ended: string | null = null
  child.on('error', (error) => {
    ended = error.message
  })
  child.on('exit', (code, signal) => {
    ended = signal ?? `exit code ${code}`
  })
  const deadline = performance.now() + START_MS
  while (performance.now() < deadline) {
    const state = readRunState(files)
    // Another one, when two were started at once: just as good.
    if (state && loopState(state) === 'alive' && (ended !== null || state.pid === child.pid)) {
      child.unref()
      return state
    }
    // Ours lost the race: the other one will soon report that it is running.
    if (ended !== null && !isHeld(files.lock)) break
    await sleep(25)
  }
  child.unref()
  const output = readSince(files.log, before, SHOWN_LOG).trim().split('\n').slice(-5).join('\n')
  throw new AoError('INTERNAL', `The loop did not start${ended === null ? ' in time' : ` (${ended})`}:\n${output}`, {
    hint: 'See why with: ao start --foreground',
  })
}

/** How long another `ao start` may take from listening to reporting it. */
const OTHER_MS = 10_000
/** How long several processes that search for a free port at once may conflict. */
const PROBE_MS = 500

interface FoundPort {
  /** Started for the same configuration by somebody else, just now. */
  other: RunState | null
  /** What the loop must know to listen elsewhere. */
  env: Record<string, string>
}

/** Two repositories with a configuration each have the same usual port: the second one takes any that is free. */
export async function findPort(config: OrchestratorConfig, files: RunFiles, io: Io): Promise<FoundPort> {
  try {
    return { other: await freePortOrOther(config, files, io), env: {} }
  } catch (error) {
    const isUsual = config.port === USUAL_PORT && !io.env.AO_PORT
    if (!isUsual || !(error instanceof AoError) || error.details?.ownedByAo !== true) throw error
    io.note(`${error.message}; this one takes another port`)
    return { other: null, env: { AO_PORT: '0' } }
  }
}

/** The loop that took the port just now, started for the same configuration by somebody else; null: the port is free. */
async function freePortOrOther(config: OrchestratorConfig, files: RunFiles, io: Io): Promise<RunState | null> {
  const claim = { ...listenAddress(config), home: io.home, configPath: config.configPath }
  for (const deadline = performance.now() + OTHER_MS; ; await sleep(25)) {
    try {
      await requireFreePort(claim)
      return null
    } catch (error) {
      const state = readRunState(files)
      if (state && loopState(state) === 'alive') return state
      const { code } = (error as AoError).cause as NodeJS.ErrnoException
      const left = deadline - performance.now()
      // The holder of the lock is about to start, and the port is most likely its own. Others that only try the port
      // release it soon.
      const mayChange = code === 'EADDRINUSE' && (isHeld(files.lock) ? left > 0 : left > OTHER_MS - PROBE_MS)
      if (!mayChange) throw hiddenLoop(files, config) ?? error
    }
  }
}

/** It has the lock, and never said so in its state, or somebody has changed that. */
function hiddenLoop(files: RunFiles, { configPath }: OrchestratorConfig): AoError | null {
  const state = findRunning(files)
  if (state === null || loopState(state) !== 'alive') return null
  return new AoError(
    'ALREADY_RUNNING',
    `Process ${state.pid} watches ${configPath} already, and ${files.state} does not say so`,
    {
      hint: 'Restart it with: ao stop && ao start',
      details: { pid: state.pid, configPath },
    },
  )
}

/** Nothing from an outer session: ending that session must not end the loop. */
function ownEnvironment(io: Io): NodeJS.ProcessEnv {
  const dataDir = io.env.AO_DATA_DIR === undefined ? {} : { AO_DATA_DIR: resolveDataDir(io.home, io.env) }
  return { ...withoutSession(io.env), ...dataDir }
}
