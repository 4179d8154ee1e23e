// Wakes one idle session with the prompt of its agent's HEARTBEAT.md, if every condition allows it.

import { durationMs } from '../../../contract/agh/duration.ts'
import { type HeartbeatPolicy, heartbeatSchema, type WakeReport } from '../../../contract/agh/heartbeat.ts'
import { decideWake, type WakeLimits } from '../../../core/agh/decide-wake.ts'
import { nowIso, nowMs } from '../../../lib/clock.ts'
import { heartbeatFile } from '../../setup/agents.ts'
import { readDocument } from '../../setup/front-matter.ts'
import type { AghContext } from '../context.ts'
import { saveMeta } from '../publish.ts'
import { readSession } from '../read-session.ts'
import { viewOf } from '../view-of.ts'
import { startTurn } from './prompt.ts'

export interface WakeOptions {
  manual: boolean
  /** Only decides. */
  dryRun?: boolean
  /** If it has already been read. */
  policy?: HeartbeatPolicy | null
}

export async function wakeSession(context: AghContext, sessionId: string, options: WakeOptions): Promise<WakeReport> {
  const { agent_name } = readSession(context, sessionId)
  const policy = options.policy === undefined ? await readPolicy(context, agent_name) : options.policy
  // No await from here on, so the decision still holds when the turn starts.
  const live = context.live.get(sessionId)
  const meta = readSession(context, sessionId)
  const decision = decideWake({
    health: viewOf(context, meta).health,
    policy,
    limits: readLimits(context),
    idleSince: Date.parse(meta.updated_at),
    lastWakeAt: meta.last_wake_at === undefined ? null : Date.parse(meta.last_wake_at),
    manual: options.manual,
    now: nowMs(context),
    timezone: context.env.TZ || Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
  if (decision.result === 'sent' && !options.dryRun && live && policy) {
    // Recorded before it is done: a wake that fails is not retried immediately.
    saveMeta(context, live, { last_wake_at: nowIso(context) })
    await startTurn(context, live, policy.prompt, { source: 'heartbeat' })
  }
  return { session_id: sessionId, ...decision, dry_run: options.dryRun ?? false }
}

/** null: the agent has none. */
export async function readPolicy(context: AghContext, agentName: string): Promise<HeartbeatPolicy | null> {
  const document = await readDocument(heartbeatFile(context.paths, agentName), heartbeatSchema)
  return document && { ...document.settings, prompt: document.body }
}

function readLimits({ config }: AghContext): WakeLimits {
  const { enabled, min_interval, default_interval, wake_cooldown } = config.agents.heartbeat
  return {
    enabled,
    minIntervalMs: durationMs(min_interval),
    defaultIntervalMs: durationMs(default_interval),
    cooldownMs: durationMs(wake_cooldown),
  }
}
