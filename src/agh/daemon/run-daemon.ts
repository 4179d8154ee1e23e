// The daemon from start to end: lock, listen, adopt or repair; on a signal all sessions are stopped together, or left to the
// next daemon. Until a session is adopted or repaired, requests about it wait.
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { DAEMON_PROTOCOL } from '../../contract/agh/protocol.ts'
import { AoError } from '../../contract/errors.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { SPAWN_MARKER } from '../../lib/process/process-tree.ts'
import { AO_VERSION } from '../../lib/version.ts'
import type { AghPaths } from '../paths.ts'
import { createAghContext, leaveAll, liveSessions, type Repairs, shutdown, startRepairs } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'
import { loadAghConfig } from '../setup/load-config.ts'
import { listSessionIds } from '../store/meta-file.ts'
import { startBackground } from './background.ts'
import { removeDaemonFile, writeDaemonFile } from './daemon-file.ts'
import { takeDaemonLock } from './daemon-lock.ts'
import { monitorLoop } from './loop-delay.ts'
import { openListeners } from './serve.ts'

export interface DaemonOptions {
  paths: AghPaths
  env: NodeJS.ProcessEnv
  log: Log
  /** Aborted when the daemon shuts down; with KEEP_AGENTS as its reason, the agents go on. */
  stop: AbortSignal
}

export const KEEP_AGENTS = 'keep agents'

export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { paths, log } = options
  const release = await takeDaemonLock(paths)
  if (!release) throw new AoError('DAEMON_RUNNING', `Another daemon is running for ${paths.home}`)
  try {
    const config = await loadAghConfig(paths)
    // Agents get their own marker; a marker inherited from the daemon's starter would end them together with an unrelated
    // process.
    const { [SPAWN_MARKER]: _, ...env } = options.env
    // From here on it can be found, and stopped. Whatever can fail comes before a session is touched.
    writeDaemonFile(paths, { started_at: systemClock.now().toISOString(), http: null })
    const context = createAghContext({ paths, config, env, clock: systemClock, log, keepsReserve: true })
    await serve(context, options.stop)
  } finally {
    release()
  }
}

async function serve(context: AghContext, stop: AbortSignal): Promise<void> {
  const { paths, config, clock } = context
  const startedAt = clock.now().toISOString()
  let http: string | null = null
  let problem: string | null = null
  const monitor = monitorLoop(() => liveSessions(context).length > 0, clock.now)
  const leaves = () => stop.aborted && stop.reason === KEEP_AGENTS
  let repairs: Repairs | null = null
  const state = () => (stop.aborted ? 'stopping' : repairs?.left() === 0 ? 'running' : 'starting')
  const status = async (): Promise<DaemonStatus> => ({
    status: leaves() ? 'leaving' : state(),
    pid: process.pid,
    protocol: DAEMON_PROTOCOL,
    version: AO_VERSION ?? 'source',
    started_at: startedAt,
    socket: paths.socket,
    http,
    http_problem: problem,
    repairs_left: repairs?.left() ?? 0,
    active_sessions: liveSessions(context).length,
    total_sessions: listSessionIds(paths).length,
    memory_bytes: process.memoryUsage.rss(),
    event_loop_delay: monitor.latest(),
  })
  const begun = Promise.withResolvers<Repairs>()
  const listeners = await openListeners(context, { status, repairs: begun.promise })
  http = listeners.port === null ? null : `http://${config.http.host}:${listeners.port}`
  problem = listeners.problem
  writeDaemonFile(paths, { started_at: startedAt, http })
  context.log.info(`agh listens on ${[paths.socket, http].filter(Boolean).join(' and ')}`)
  repairs = startRepairs(context, leaves)
  begun.resolve(repairs)
  await repairs.ready()
  const endBackground = startBackground(context)
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }))
  endBackground()
  // Before anybody is cut off: they wait for the next daemon then.
  if (leaves()) writeDaemonFile(paths, { started_at: startedAt, http, left: true })
  await (leaves() ? leaveAll(context) : shutdown(context))
  monitor.close()
  await listeners.close()
  if (!leaves()) removeDaemonFile(paths)
}
