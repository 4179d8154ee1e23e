// From a task to work: a run is first recorded as queued, then a coordinator is found or started and given the task.

import { randomBytes } from 'node:crypto'
import { TURN_ENDS, toSessionEvent } from '../../contract/agh/events.ts'
import type { CreateTaskRequest, Task, TaskRun } from '../../contract/agh/task.ts'
import { errorText } from '../../contract/errors.ts'
import { requireRunnable, taskPrompt } from '../../core/agh/plan-task-run.ts'
import { nowIso } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ensureCoordinator, newTurnId, promptSession, readEvents, type StartedTurn, turnEnded } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'
import { resolveWorkspace } from '../setup/workspaces.ts'
import { listTasks, readTask, updateRun, writeTask } from './task-file.ts'

/** Only recorded: nothing is started for it. */
export function createTask(context: AghContext, request: CreateTaskRequest): Task {
  const { title, prompt = title, workspace, workspace_path } = request
  const hasWorkspace = workspace !== undefined || workspace_path !== undefined
  const target = hasWorkspace ? resolveWorkspace(context.paths, request) : { id: null, path: null }
  const task: Task = {
    schema: 'agh.task.v1',
    id: `task-${randomBytes(6).toString('hex')}`,
    title,
    prompt,
    workspace_id: target.id,
    workspace_path: target.path,
    created_at: nowIso(context),
    runs: [],
  }
  writeTask(context.paths, task)
  return task
}

/** Returns when the run is on disk; the work continues in the background. */
export function enqueueRun(context: AghContext, taskId: string): Task {
  const task = readTask(context.paths, taskId)
  requireRunnable(task, context.config.autonomy.coordinator.enabled)
  const run: TaskRun = {
    id: `run-${randomBytes(6).toString('hex')}`,
    state: 'queued',
    session_id: null,
    turn_id: null,
    detail: null,
    enqueued_at: nowIso(context),
    started_at: null,
    ended_at: null,
  }
  const queued = { ...task, runs: [...task.runs, run] }
  writeTask(context.paths, queued)
  failpoint('agh-task-queued')
  dispatch(context, queued, run.id)
  return queued
}

/** When the daemon starts: queued runs are still to do; running ones go on where their agents outlived the previous one. */
export function takeUpRuns(context: AghContext): void {
  for (const task of listTasks(context.paths, (error) => context.log.error(errorText(error)))) {
    for (const run of task.runs) {
      if (run.state === 'running') void followRun(context, task, run)
      if (run.state === 'queued') dispatch(context, task, run.id)
    }
  }
}

/** Never rejects. */
async function followRun(context: AghContext, task: Task, { id, session_id, turn_id }: TaskRun): Promise<void> {
  const lost = 'the daemon ended while it ran'
  try {
    if (session_id === null || turn_id === null) return endRun(context, task.id, id, lost)
    await turnEnded(context, session_id, turn_id)
    if (context.closing) return
    const failure = await failureOf(context, session_id, { turnId: turn_id, sequence: 0 })
    endRun(context, task.id, id, failure === NO_END ? lost : failure)
  } catch (error) {
    if (!context.closing) endRun(context, task.id, id, errorText(error))
  }
}

const NO_END = 'its turn has no end'

/** One at a time per workspace. */
function dispatch(context: AghContext, task: Task, runId: string): void {
  void context.coordinating.run(task.workspace_path!, () => work(context, task, runId))
}

/** Never rejects. A run that could not begin before the daemon ended stays queued. */
async function work(context: AghContext, task: Task, runId: string): Promise<void> {
  if (context.closing) return
  try {
    const id = await ensureCoordinator(context, task.workspace_path!)
    const note = (changes: Partial<TaskRun>) => updateRun(context.paths, task.id, runId, changes)
    // Recorded before it is handed over: an interrupted run has failed and is not repeated.
    const turnId = newTurnId()
    note({ state: 'running', session_id: id, turn_id: turnId, started_at: nowIso(context) })
    const turn = await promptSession(context, id, taskPrompt(task, runId), { queue: true, source: 'task', turnId })
    await turn.ended
    const failure = await failureOf(context, id, turn)
    // Its agent goes on, and the next daemon follows it.
    if (context.closing && failure === NO_END) return
    endRun(context, task.id, runId, failure)
  } catch (error) {
    if (!context.closing) endRun(context, task.id, runId, errorText(error))
  }
}

function endRun(context: AghContext, taskId: string, runId: string, failure: string | null): void {
  try {
    const state = failure === null ? 'completed' : 'failed'
    updateRun(context.paths, taskId, runId, { state, detail: failure, ended_at: nowIso(context) })
  } catch (error) {
    // It stays `running` in its file, and the next start of the daemon ends it.
    context.log.error(`the end of run ${runId} was not written: ${errorText(error)}`)
  }
}

/** null: the turn ended well. */
async function failureOf(
  context: AghContext,
  sessionId: string,
  turn: Pick<StartedTurn, 'turnId' | 'sequence'>,
): Promise<string | null> {
  const rows = await readEvents(context, sessionId, turn.sequence, Number.MAX_SAFE_INTEGER)
  const end = rows.findLast((row) => row.turn_id === turn.turnId && TURN_ENDS.includes(row.type))
  if (!end) return NO_END
  const event = toSessionEvent(sessionId, end)
  if (event.type === 'error') return event.content.error
  return event.type === 'done' && event.content.stop_reason === 'cancelled' ? 'its turn was cancelled' : null
}
