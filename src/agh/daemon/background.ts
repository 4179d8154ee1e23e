// The daemon's background work: it picks up runs of tasks, wakes sessions that are due, records session ends that could not
// be written when they happened, and continues sessions that could not be continued when it started.

import { durationMs } from '../../contract/agh/duration.ts'
import { errorText } from '../../contract/errors.ts'
import { liveSessions, readPolicy, repairUnwritten, retryPostponed, wakeSession } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'
import { takeUpRuns } from '../tasks/run-task.ts'

const RETRY_MS = 10_000

/** Returns a function that stops it. */
export function startBackground(context: AghContext): () => void {
  takeUpRuns(context)
  const endWakes = startWakeLoop(context)
  const retry = setInterval(() => {
    void repairUnwritten(context)
    void retryPostponed(context)
  }, RETRY_MS).unref()
  return () => {
    endWakes()
    clearInterval(retry)
  }
}

const LONGEST_TICK_MS = 30_000
const SHORTEST_TICK_MS = 50

/** Returns a function that stops it. */
export function startWakeLoop(context: AghContext): () => void {
  const { enabled, min_interval } = context.config.agents.heartbeat
  if (!enabled) return () => undefined
  const tick = Math.min(LONGEST_TICK_MS, Math.max(SHORTEST_TICK_MS, durationMs(min_interval) / 4))
  let isAtWork = false
  const timer = setInterval(() => {
    if (isAtWork) return
    isAtWork = true
    void wakeDueSessions(context).finally(() => {
      isAtWork = false
    })
  }, tick)
  timer.unref()
  return () => clearInterval(timer)
}

/** A problem with a file is reported when it is new, not in every round. */
const warned = new WeakMap<AghContext, Map<string, string>>()

function warnOnce(context: AghContext, agent: string, problem: string): void {
  const reported = warned.get(context) ?? new Map<string, string>()
  warned.set(context, reported)
  if (reported.get(agent) === problem) return
  reported.set(agent, problem)
  context.log.warn(`sessions of ${agent} are not woken: ${problem}`)
}

/** One pass over all live sessions; HEARTBEAT.md is read once per agent. An invalid policy wakes nothing. */
export async function wakeDueSessions(context: AghContext): Promise<void> {
  const policies = new Map<string, Awaited<ReturnType<typeof readPolicy>>>()
  let left = context.config.agents.heartbeat.max_wakes_per_cycle
  for (const meta of liveSessions(context)) {
    // A session driven by another program is that program's to wake.
    if (left <= 0 || meta.driver) continue
    const agent = meta.agent_name
    try {
      if (!policies.has(agent)) policies.set(agent, await readPolicy(context, agent))
      const policy = policies.get(agent) ?? null
      if (policy && (await wakeSession(context, meta.id, { manual: false, policy })).result === 'sent') left--
    } catch (error) {
      policies.set(agent, null)
      warnOnce(context, agent, errorText(error))
    }
  }
}
