// Whether a task may be run, who runs it, and what the coordinator's prompt says.
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import type { Task } from '../../contract/agh/task.ts'
import { AoError } from '../../contract/errors.ts'

/** Executable work belongs to a workspace, and to one coordinator at a time. */
export function requireRunnable(task: Task, enabled: boolean): void {
  if (!enabled) throw refused(task, 'coordinators are turned off (autonomy.coordinator.enabled)')
  if (task.workspace_path === null) throw refused(task, 'it belongs to no workspace')
  const open = task.runs.find(({ state }) => state === 'queued' || state === 'running')
  if (open) throw refused(task, `its run ${open.id} is ${open.state}`)
}

export interface CoordinatorFacts {
  /** The live coordinator of the workspace. */
  present: SessionMeta | null
  ttlMs: number
  now: number
}

/** `replace`: its time is nearly up; work started now would not finish. */
export function planCoordinator({ present, ttlMs, now }: CoordinatorFacts): 'start' | 'use' | 'replace' {
  if (!present) return 'start'
  const { ttl_expires_at } = present.lineage
  const left = ttl_expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(ttl_expires_at) - now
  return left < ttlMs / 2 ? 'replace' : 'use'
}

export function taskPrompt(task: Task, runId: string): string {
  return [
    `You coordinate the work in this workspace. A task was enqueued: ${task.title} (${task.id}, run ${runId}).`,
    task.prompt === task.title ? '' : task.prompt,
    'Do it, or share it out: `agh spawn --role <role> --ttl 30m` starts a child session in this workspace, and `agh session prompt <session> "…"` gives it work. End your turn when the task is done, and say what came of it.',
  ]
    .filter(Boolean)
    .join('\n\n')
}

function refused(task: Task, why: string): AoError {
  return new AoError('STATE_REFUSED', `Task ${task.id} cannot be run: ${why}`, { details: { taskId: task.id } })
}
