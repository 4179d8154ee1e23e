// The daemon's background work: it picks up runs of tasks, wakes sessions that are due, records session ends that could not
// be written when they happened, and continues sessions whose hosts did not answer when it started.

import { repairUnwritten, retryUnanswered } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'
import { takeUpRuns } from '../tasks/run-task.ts'
import { startWakeLoop } from '../wake/wake-loop.ts'

const RETRY_MS = 10_000

/** Returns a function that stops it. */
export function startBackground(context: AghContext): () => void {
  takeUpRuns(context)
  const endWakes = startWakeLoop(context)
  const retry = setInterval(() => {
    void repairUnwritten(context)
    void retryUnanswered(context)
  }, RETRY_MS).unref()
  return () => {
    endWakes()
    clearInterval(retry)
  }
}
