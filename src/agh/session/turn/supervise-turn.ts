// The timers of a running turn: collects evidence of work, keeps the activity record fresh, and does what `supervise` says.
// CPU time and I/O of the agent's processes are evidence that a silent agent is working, on Linux; elsewhere the rest has to
// suffice.
import { readFileSync } from 'node:fs'
import type { AghConfig } from '../../../contract/agh/config.ts'
import { durationMs } from '../../../contract/agh/duration.ts'
import { errorText } from '../../../contract/errors.ts'
import { isActive, turnOf } from '../../../core/agh/machine/session-state.ts'
import {
  activityOf,
  type Evidence,
  type SupervisionAction,
  type SupervisionSettings,
  supervise,
  type Turn,
} from '../../../core/agh/session/turn.ts'
import { nowMs } from '../../../lib/clock.ts'
import { readProcessTable } from '../../../lib/process/process-table.ts'
import type { AghContext } from '../context.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession, RunningTurn } from '../live-session.ts'
import { note, saveActivity, take } from '../publish.ts'
import { cancelTurn } from './running-turn.ts'

/** A heartbeat reads the whole process table, so never more often than this. */
const SHORTEST_INTERVAL_MS = 20

export function superviseTurn(context: AghContext, session: LiveSession, running: RunningTurn): NodeJS.Timeout {
  const settings = readSettings(context.config)
  const interval = Math.max(
    SHORTEST_INTERVAL_MS,
    durationMs(context.config.session.supervision.activity_heartbeat_interval),
  )
  let before = observe(context, session)
  return setInterval(() => {
    if (session.running !== running) return
    const now = observe(context, session)
    const evidence = evidenceOf(session, before, now)
    note(session, { type: 'turn_noted', input: { type: 'heartbeat', evidence }, at: now.at })
    before = now
    const turn = turnOf(session.state)!
    for (const action of supervise(turn, settings, now.at)) act(context, session, turn, action)
    keepFresh(context, session)
  }, interval)
}

interface Observation {
  at: number
  work: TreeWork
  printed: number
  errors: number
}

function observe(context: AghContext, session: LiveSession): Observation {
  const leaders = new Set<number>()
  if (session.process?.identity) leaders.add(session.process.identity.pid)
  for (const { child } of session.terminals.open.values()) if (child.pid !== undefined) leaders.add(child.pid)
  return {
    at: nowMs(context),
    work: measureTree(leaders),
    printed: session.terminals.printed,
    errors: session.process?.stderr.total ?? 0,
  }
}

function evidenceOf(session: LiveSession, before: Observation, now: Observation): Evidence[] {
  const evidence: Evidence[] = []
  const { cpu, io } = didWork(before.work, now.work, now.at - before.at)
  if (turnOf(session.state)?.openTools.size) evidence.push('tool_running')
  if (now.printed > before.printed) evidence.push('terminal_output')
  if (session.permissions.pending.size > 0) evidence.push('permission_pending')
  if (cpu) evidence.push('cpu_progress')
  if (io) evidence.push('io_progress')
  return evidence
}

function act(context: AghContext, session: LiveSession, turn: Turn, action: SupervisionAction): void {
  const at = nowMs(context)
  const activity = activityOf(turn, at)
  const record = (type: 'runtime_progress' | 'runtime_warning', detail: string) =>
    take(context, session, { type: 'record', event: { type, content: { detail, activity } } })
  switch (action) {
    case 'notify_progress':
      record('runtime_progress', `working for ${activity.elapsed_seconds} s`)
      note(session, { type: 'turn_noted', input: { type: 'progress_notified' }, at })
      return
    case 'warn':
      record('runtime_warning', `no activity for ${activity.idle_seconds} s`)
      note(session, { type: 'turn_noted', input: { type: 'warned' }, at })
      return
    case 'cancel':
      void cancelTurn(context, session, 'inactivity')
      return
    case 'stop':
      void finishSession(context, session, { kind: 'timeout', detail: 'activity_timeout' })
  }
}

/** Metadata only: a heartbeat is not an event. */
function keepFresh(context: AghContext, session: LiveSession): void {
  const turn = turnOf(session.state)
  if (!turn || !isActive(session.state)) return
  try {
    saveActivity(context, session, activityOf(turn, nowMs(context)))
  } catch (error) {
    context.log.warn(`the activity of ${session.meta.id} was not written: ${errorText(error)}`)
  }
}

function readSettings({ session }: AghConfig): SupervisionSettings {
  const { supervision } = session
  return {
    progressNotifyMs: durationMs(supervision.progress_notify_interval),
    warningAfterMs: durationMs(supervision.inactivity_warning_after),
    timeoutMs: durationMs(supervision.inactivity_timeout),
    cancelGraceMs: durationMs(supervision.timeout_cancel_grace),
  }
}

export interface TreeWork {
  cpuMs: number
  ioBytes: number
}

const TICK_MS = 10
/** Even a process that only waits wakes up now and then. */
const IDLE_CPU_SHARE = 0.01
const IDLE_CPU_MS = 30
const IDLE_IO_BYTES = 4_096

/** Of all processes in the sessions that these pids lead. */
function measureTree(leaders: ReadonlySet<number>): TreeWork {
  const total: TreeWork = { cpuMs: 0, ioBytes: 0 }
  if (process.platform !== 'linux') return total
  for (const { pid, session } of recentProcesses()) {
    if (!leaders.has(session) && !leaders.has(pid)) continue
    total.cpuMs += cpuOf(pid)
    total.ioBytes += ioOf(pid)
  }
  return total
}

/** Reading the process table of the whole machine takes milliseconds, and many sessions read it at the same moment. */
const MAX_AGE_MS = 500
let cached: { at: number; processes: Array<{ pid: number; session: number }> } | null = null

function recentProcesses() {
  const now = performance.now()
  if (cached === null || now - cached.at > MAX_AGE_MS) {
    const processes = readProcessTable().map(({ identity, session }) => ({ pid: identity.pid, session }))
    cached = { at: now, processes }
  }
  return cached.processes
}

function didWork(before: TreeWork, after: TreeWork, wallMs: number): { cpu: boolean; io: boolean } {
  return {
    cpu: after.cpuMs - before.cpuMs > Math.max(IDLE_CPU_MS, wallMs * IDLE_CPU_SHARE),
    io: after.ioBytes - before.ioBytes > IDLE_IO_BYTES,
  }
}

function cpuOf(pid: number): number {
  const stat = readProc(pid, 'stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS
}

function ioOf(pid: number): number {
  const counts = readProc(pid, 'io').matchAll(/^[rw]char: (\d+)$/gm)
  return [...counts].reduce((sum, match) => sum + Number(match[1]), 0)
}

function readProc(pid: number, name: 'stat' | 'io'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // It has ended meanwhile, or we may not read it: no evidence.
    return ''
  }
}
