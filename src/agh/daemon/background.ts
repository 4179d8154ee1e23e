// What the daemon does by itself beside its sessions: it takes up runs of tasks, wakes who is to be woken, and writes the
// ends that could not be written when they came.

import { repairUnwritten } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'
import { takeUpRuns } from '../tasks/run-task.ts'
import { startWakeLoop } from '../wake/wake-loop.ts'

const RETRY_MS = 10_000

/** Returns how to end it. */
export function startBackground(context: AghContext): () => void {
  takeUpRuns(context)
  const endWakes = startWakeLoop(context)
  const retry = setInterval(() => void repairUnwritten(context), RETRY_MS).unref()
  return () => {
    endWakes()
    clearInterval(retry)
  }
}
