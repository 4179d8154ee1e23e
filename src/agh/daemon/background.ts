// What the daemon does by itself beside its sessions: it takes up runs of tasks, and wakes who is to be woken.
import type { AghContext } from '../session/context.ts'
import { takeUpRuns } from '../tasks/run-task.ts'
import { startWakeLoop } from '../wake/wake-loop.ts'

/** Returns how to end it. */
export function startBackground(context: AghContext): () => void {
  takeUpRuns(context)
  return startWakeLoop(context)
}
