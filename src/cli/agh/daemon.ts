// Commands for the daemon: start, stop, status, and the health of everything.
import { whileRestarting } from '../../agh/daemon/daemon-file.ts'
import { daemonStatus, repairedStatus } from '../../agh/daemon/daemon-status.ts'
import { startDaemon } from '../../agh/daemon/start-daemon.ts'
import { LEAVE_SIGNAL, stopDaemon, unstoppedSessions } from '../../agh/daemon/stop-daemon.ts'
import type { AghPaths } from '../../agh/paths.ts'
import { loadAghConfig } from '../../agh/setup/load-config.ts'
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { EVERYONE, ORCHESTRATOR } from '../../core/boundary/rights.ts'
import { requestLine } from '../../core/queue/describe-request.ts'
import { plural } from '../../core/text/format-age.ts'
import { createLog } from '../../lib/log.ts'
import type { Io } from '../print/io.ts'
import { toOneLine } from '../print/plain-text.ts'
import { aghCommand } from './agh-command.ts'

export const daemonStartCommand = aghCommand({
  name: 'daemon start',
  about: 'Start the daemon, if it is not running',
  options: { foreground: { about: 'Stay here and log to stderr' } },
  async run({ options, io, agh: { paths }, show }) {
    if (options.foreground) return runHere(paths, io)
    const first = (await daemonStatus(paths)) ?? (await startDaemon(paths, io.env))
    const status = await repairedStatus(paths, first, noteRepairs(io))
    show(status, () => [`${status.status}  pid ${status.pid}  ${addressOf(status)}`])
  },
})

function noteRepairs(io: Io): (left: number) => void {
  return (left) => io.note(`The daemon is starting; ${plural(left, 'session')} to continue or repair`)
}

function addressOf({ http, http_problem }: DaemonStatus): string {
  return http ?? `socket only: ${http_problem}`
}

async function runHere(paths: AghPaths, io: Io): Promise<undefined> {
  const { KEEP_AGENTS, runDaemon } = await import('../../agh/daemon/run-daemon.ts')
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stop.abort())
  process.on(LEAVE_SIGNAL, () => stop.abort(KEEP_AGENTS))
  const log = createLog(io.env.AGH_LOG_LEVEL ?? 'info', io.noteText, 'agh')
  await runDaemon({ paths, env: io.env, log, stop: stop.signal })
}

export const daemonStopCommand = aghCommand({
  name: 'daemon stop',
  about: 'Stop the daemon and all its sessions',
  options: { 'keep-agents': { about: 'Leave the agents at work; the next daemon continues their sessions' } },
  async run({ agh, options, io, show }) {
    const keepAgents = options['keep-agents'] === true
    const onWait = (left: number) => io.note(`The daemon is stopping; ${plural(left, 'session')} to go`)
    const stopped = await stopDaemon(agh.paths, { keepAgents, onWait })
    const left = keepAgents || !stopped ? [] : unstoppedSessions(agh.paths)
    show({ status: 'stopped', was_running: stopped, left }, () => [stopped ? 'stopped' : 'it was not running'])
    if (left.length === 0) return 0
    io.note(
      `${plural(left.length, 'session')} could not be stopped with it, and their agents may still run: ${left.join(', ')}`,
    )
    io.note('End them with: agh daemon start && agh daemon stop')
    return 1
  },
})

export const daemonRestartCommand = aghCommand({
  name: 'daemon restart',
  about: 'Start the daemon anew, as after an upgrade; the agents stay at work and their sessions continue',
  async run({ io, agh: { paths }, show }) {
    // A daemon that could not start with it must not cost the one that is running.
    await loadAghConfig(paths)
    const status = await whileRestarting(paths, async () => {
      await stopDaemon(paths, { keepAgents: true })
      return repairedStatus(paths, await startDaemon(paths, io.env), noteRepairs(io))
    })
    show(status, () => [
      `${status.status}  pid ${status.pid}  ${addressOf(status)}  ${status.active_sessions} sessions active`,
    ])
  },
})

export const daemonStatusCommand = aghCommand({
  name: 'daemon status',
  inside: EVERYONE,
  about: 'Show whether the daemon is running, and where',
  async run({ agh, show }) {
    const status = await daemonStatus(agh.paths)
    show(status ?? { status: 'stopped' }, () => {
      if (!status) return ['stopped']
      const { pid, active_sessions, total_sessions, repairs_left } = status
      const left = status.status === 'starting' ? `  ${repairs_left} to continue or repair` : ''
      const sessions = `${active_sessions} of ${total_sessions} sessions active${left}`
      return [`${status.status}  pid ${pid}  ${sessions}  ${addressOf(status)}`]
    })
    return status ? 0 : 1
  },
})

export const observeHealthCommand = aghCommand({
  name: 'observe health',
  inside: ORCHESTRATOR,
  about: 'Show an overview: running sessions, their activity, failures',
  details: 'The exit code is 1 when something that is running is not well.',
  async run({ agh, show }) {
    const answer = await agh.call('GET /api/observe/health')
    show(answer, () => [
      `${answer.status}  ${answer.active_sessions} of ${answer.total_sessions} sessions active`,
      ...answer.sessions.flatMap(({ session_id, state, health, pending_permissions }) => [
        `  ${session_id}  ${state}  ${health}`,
        ...pending_permissions.map((one) => `  ${session_id}  asks for permission: ${requestLine(one, 200)}`),
      ]),
      ...(answer.postponed ?? []).map(
        (id) =>
          `  ${id}  not continued yet: the host of its agent does not answer, or the disk is full; agh tries again`,
      ),
      ...answer.damaged.map(({ session_id, problem }) => toOneLine(`  ${session_id}  damaged  ${problem}`)),
      ...answer.failures.map(({ session_id, failure }) =>
        toOneLine(`  ${session_id}  failed  ${failure.kind}: ${failure.summary}`),
      ),
    ])
    return answer.status === 'ok' ? 0 : 1
  },
})
