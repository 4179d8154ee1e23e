// The loop as a process of its own: it outlives this terminal, and inside a session also that session.
import { closeSync, fstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import { listenAddress } from '../../../dashboard/access/listen-address.ts'
import { requireFreePort } from '../../../dashboard/access/port-taken.ts'
import { openForAppend, readSince } from '../../../lib/plain-file.ts'
import { startProgram } from '../../../lib/start-program.ts'
import { loopState, type RunFiles, type RunState, readRunState } from '../../../lifecycle/loop/run-state.ts'
import { resolveDataDir } from '../../../store/paths.ts'
import type { Io } from '../../io.ts'

const START_MS = 30_000
const SHOWN_LOG = 4_000

export async function startInBackground(config: OrchestratorConfig, files: RunFiles, io: Io): Promise<RunState> {
  // Said here in words of its own; from the process it would come as a line of a log.
  await requireFreePort({ ...listenAddress(config, io.env), home: io.home, configPath: config.configPath })
  mkdirSync(dirname(files.log), { recursive: true, mode: 0o700 })
  const log = openForAppend(files.log)
  const before = fstatSync(log).size
  const program = process.argv[1]
  if (program === undefined) throw new AoError('INTERNAL', 'ao does not know its own file')
  const child = startProgram(
    process.execPath,
    [...process.execArgv, program, 'start', '--foreground', '--no-restore', '--config', config.configPath],
    { cwd: dirname(config.configPath), detached: true, stdio: ['ignore', log, log], env: ownEnvironment(io) },
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
    // Somebody else's, when two were started at once: just as good.
    if (state && loopState(state) === 'alive' && (ended !== null || state.pid === child.pid)) {
      child.unref()
      return state
    }
    if (ended !== null) break
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  child.unref()
  const said = readSince(files.log, before, SHOWN_LOG).trim().split('\n').slice(-5).join('\n')
  throw new AoError('INTERNAL', `The loop did not start${ended === null ? ' in time' : ` (${ended})`}:\n${said}`, {
    hint: 'See why with: ao start --foreground',
  })
}

/** Of an outer session nothing: whoever ends that one must not end the loop. */
const OF_A_SESSION: ReadonlySet<string> = new Set([
  'AO_SESSION',
  'AO_SPAWN_ID',
  'AO_STATE_DIR',
  'AO_PROJECT_ID',
  'AO_CALLER_TYPE',
  'TMUX',
  'TMUX_PANE',
])

function ownEnvironment(io: Io): NodeJS.ProcessEnv {
  const kept = Object.entries(io.env).filter(([name]) => !OF_A_SESSION.has(name))
  const dataDir = io.env.AO_DATA_DIR === undefined ? {} : { AO_DATA_DIR: resolveDataDir(io.home, io.env) }
  return { ...Object.fromEntries(kept), ...dataDir }
}
