// The timers of a running turn: collects evidence of work, keeps the activity record fresh, and does what `supervise` says.
import type { AghConfig } from '../../../contract/agh/config.ts'
import { durationMs } from '../../../contract/agh/config.ts'
import { errorText } from '../../../contract/errors.ts'
import {
  activityOf,
  type Evidence,
  type SupervisionAction,
  type SupervisionSettings,
  supervise,
} from '../../../core/agh/session/turn.ts'
import { type AghContext, nowMs } from '../context.ts'
import { finishSession } from '../finish.ts'
import type { LiveSession, RunningTurn } from '../live-session.ts'
import { saveActivity } from '../save-meta.ts'
import { cancelTurn } from './cancel-turn.ts'
import { noteInTurn } from './live-turn.ts'
import { didWork, measureTree, type TreeWork } from './tree-progress.ts'

/** A heartbeat looks at the whole process table, so never more often than this. */
const SHORTEST_INTERVAL_MS = 20

export function superviseTurn(context: AghContext, session: LiveSession, running: RunningTurn): void {
  const settings = readSettings(context.config)
  const interval = Math.max(
    SHORTEST_INTERVAL_MS,
    durationMs(context.config.session.supervision.activity_heartbeat_interval),
  )
  let before = observe(context, session)
  const timer = setInterval(() => {
    if (session.turn !== running) return
    const now = observe(context, session)
    const evidence = evidenceOf(session, running, before, now)
    noteInTurn(context, running, { type: 'heartbeat', evidence }, now.at)
    before = now
    for (const action of supervise(running.turn, settings, now.at)) act(context, session, running, action)
    keepFresh(context, session, running)
  }, interval)
  session.timers.add(timer)
  void running.ended.then(() => {
    clearInterval(timer)
    session.timers.delete(timer)
  })
}

interface Observation {
  at: number
  work: TreeWork
  printed: number
  errors: number
}

function observe(context: AghContext, session: LiveSession): Observation {
  const leaders = new Set<number>()
  if (session.process?.child.pid !== undefined) leaders.add(session.process.child.pid)
  for (const { child } of session.terminals.open.values()) if (child.pid !== undefined) leaders.add(child.pid)
  return {
    at: nowMs(context),
    work: measureTree(leaders),
    printed: session.terminals.printed,
    errors: session.process?.stderrTotal() ?? 0,
  }
}

function evidenceOf(session: LiveSession, running: RunningTurn, before: Observation, now: Observation): Evidence[] {
  const evidence: Evidence[] = []
  const { cpu, io } = didWork(before.work, now.work, now.at - before.at)
  if (running.turn.openTools.size > 0) evidence.push('tool_running')
  if (now.printed > before.printed) evidence.push('terminal_output')
  if (session.permissions.pending.size > 0) evidence.push('permission_pending')
  if (cpu) evidence.push('cpu_progress')
  if (io) evidence.push('io_progress')
  return evidence
}

function act(context: AghContext, session: LiveSession, running: RunningTurn, action: SupervisionAction): void {
  const now = nowMs(context)
  const activity = activityOf(running.turn, now)
  const record = (type: 'runtime_progress' | 'runtime_warning', detail: string) =>
    session.store.append({ turn_id: running.turn.id, type, content: { detail, activity } })
  switch (action) {
    case 'notify_progress':
      record('runtime_progress', `working for ${activity.elapsed_seconds} s`)
      noteInTurn(context, running, { type: 'progress_notified' }, now)
      return
    case 'warn':
      record('runtime_warning', `no activity for ${activity.idle_seconds} s`)
      noteInTurn(context, running, { type: 'warned' }, now)
      return
    case 'cancel':
      void cancelTurn(context, session, 'inactivity')
      return
    case 'stop':
      void finishSession(context, session, { kind: 'timeout', detail: 'activity_timeout' })
  }
}

/** Metadata only: a heartbeat is no event. */
function keepFresh(context: AghContext, session: LiveSession, running: RunningTurn): void {
  if (session.turn !== running || session.meta.state !== 'active') return
  try {
    saveActivity(context, session, activityOf(running.turn, nowMs(context)))
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
