// What a session is doing and has done, according to agh.
import type { SessionView } from '../../contract/agh/answers.ts'
import type { PendingPermission, SessionMeta } from '../../contract/agh/session-meta.ts'
import { PERMISSION_DECISIONS, type PermissionRequest } from '../../contract/permission.ts'
import type { AgentCost, AgentSessionInfo } from '../../contract/session.ts'
import { requestLine } from '../../core/queue/describe-request.ts'
import type { ActivityReading } from '../../slots/agent.ts'
import type { SessionReading } from '../../slots/session-events.ts'
import { activityFromAge, turnEnd } from '../agent-files/age-activity.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import type { Observed } from './observe-sessions.ts'

const MAX_EVIDENCE = 200

export interface ReadAt {
  now: Date
  readyThresholdMs: number
}

/** null: agh could not say. */
export function readAcpSession(observed: Observed, at: ReadAt): SessionReading | null {
  if (observed.kind === 'unknown' || observed.kind === 'none') return null
  if (observed.kind === 'left') {
    const timestamp = new Date(observed.meta.updated_at)
    const activity = { state: 'exited', timestamp, evidence: 'the agh daemon that ran it has ended' } as const
    return { activity, info: infoOf(observed.meta), permissions: [] }
  }
  const permissions = observed.view.pending_permissions.map(toRequest)
  const pending = permissions.length === 0 ? {} : { pendingPermissions: permissions }
  const info = { ...infoOf(observed.view), ...pending }
  return { activity: activityOf(observed.view, permissions, at), info, permissions }
}

function activityOf(meta: SessionView, permissions: PermissionRequest[], at: ReadAt): ActivityReading | null {
  const { digest, activity, state, health } = meta
  if (state === 'stopped') {
    return { state: 'exited', timestamp: new Date(meta.updated_at), evidence: `agh: stopped, ${meta.stop_reason}` }
  }
  // The daemon before this one was killed, and nobody has heard from the agent since: a turn may still run.
  if (state === 'active' && health.state === 'detached') return null
  const [question] = permissions
  if (question) {
    const evidence = `agh: ${question.requestId} waits: ${requestLine(question, MAX_EVIDENCE)}`
    return { state: 'waiting_input', timestamp: new Date(question.askedAt), evidence }
  }
  if (activity) {
    const last = new Date(activity.last_activity_at)
    const tool = activity.current_tool ? `, ${activity.current_tool}` : ''
    const evidence = `agh: a turn runs, ${activity.last_activity_kind}${tool}`
    return { state: activityFromAge({ ...at, kind: 'working', at: last }), timestamp: last, evidence }
  }
  if (state !== 'active') {
    const timestamp = new Date(meta.updated_at)
    return { state: activityFromAge({ ...at, kind: 'working', at: timestamp }), timestamp, evidence: `agh: ${state}` }
  }
  const last = new Date(digest?.last_event_at ?? meta.updated_at)
  const kind = digest?.last_turn_failed ? 'failed' : 'finished'
  const why = digest?.last_error ? `: ${digest.last_error}` : ''
  const evidence = kind === 'failed' ? `agh: the last turn failed${why}` : 'agh: no turn runs'
  return { state: activityFromAge({ ...at, kind, at: last }), timestamp: last, evidence, ...turnEnd(kind) }
}

function infoOf({ digest, acp_session_id }: SessionMeta): AgentSessionInfo {
  const cost = costOf(digest)
  return {
    summary: digest?.first_prompt ? promptTitle(digest.first_prompt) || null : null,
    summaryIsFallback: true,
    agentSessionId: acp_session_id,
    cost: cost ?? undefined,
    lastMessage: digest?.last_message || undefined,
    expiredRequest: digest?.expired ?? undefined,
  }
}

/** undefined: the agent never reported its usage. */
function costOf(digest: SessionMeta['digest']): AgentCost | undefined {
  if (!digest?.tokens && !digest?.cost) return undefined
  const { tokens, cost } = digest
  return {
    inputTokens: tokens?.input ?? 0,
    outputTokens: tokens?.output ?? 0,
    cacheReadTokens: tokens?.cache_read ?? 0,
    cacheWriteTokens: tokens?.cache_write ?? 0,
    estimatedCostUsd: cost ? cost.earlier_usd + cost.current_usd : null,
  }
}

function toRequest(pending: PendingPermission): PermissionRequest {
  return {
    requestId: pending.request_id,
    title: pending.title,
    kind: pending.kind,
    askedAt: pending.asked_at,
    expiresAt: pending.expires_at,
    input: pending.input,
    isCut: pending.input_cut,
    diffs: pending.diffs,
    diffsOmitted: pending.diffs_omitted,
    options: pending.options.flatMap(({ option_id, name, decision }) => {
      const valid = PERMISSION_DECISIONS.find((one) => one === decision)
      return valid ? [{ optionId: option_id, name, decision: valid }] : []
    }),
  }
}
