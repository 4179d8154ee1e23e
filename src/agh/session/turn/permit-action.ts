// File and terminal requests of the agent carry no question of their own. What the policy leaves open is covered by an
// approval a person has already given, or a person is asked now.

import { durationMs } from '../../../contract/agh/duration.ts'
import type { PermissionContent } from '../../../contract/agh/events.ts'
import { turnOf } from '../../../core/agh/machine/session-state.ts'
import { addGrant, useGrant } from '../../../core/agh/session/permission-grants.ts'
import { type ClientAction, judgeAction, questionAbout } from '../../../core/agh/session/permission-policy.ts'
import { isPlainPath } from '../../../core/queue/read-input.ts'
import { nowMs } from '../../../lib/clock.ts'
import { confinePath } from '../../acp/confine-path.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { note, perform, take } from '../publish.ts'
import {
  askPermission,
  cancelPermissions,
  type Outcome,
  type PermissionQuestion,
  type RequestMemory,
} from './permission-desk.ts'
import { orFinishAndFail } from './running-turn.ts'

/** Throws when it is not allowed. A refusal is in the event log too: the agent's own account of it may be wrong. */
export async function permitAction(
  context: AghContext,
  session: LiveSession,
  action: ClientAction,
  offset: number | null,
): Promise<void> {
  // A driver gave the agent its own workspace; the agent asks its own questions before it acts.
  if (session.meta.driver) return
  const verdict = judgeAction(session.meta.permissions, action)
  if (verdict === 'allow') return
  const { verdict: before } = recallRequest(session, offset)
  if (before === true) return
  if (before !== undefined) throw new Error(before)
  const question = questionAbout(action)
  const { title, kind } = question
  if (verdict === 'reject') {
    const why = `the policy ${session.meta.permissions} does not allow ${action.name}`
    record(context, session, { title, kind, decision: 'reject-once', decided_by: 'policy' })
    rememberRequest(session, offset, { verdict: why })
    throw new Error(why)
  }
  const used = useGrant(session.state.grants, action)
  if (used) {
    note(session, { type: 'grants_changed', grants: used.left })
    const granted_by = used.grant.requestId
    record(context, session, { title, kind, decision: 'allow-once', decided_by: 'user', granted_by })
    return rememberRequest(session, offset, { verdict: true })
  }
  const outcome = await ask(context, session, { ...question, isOurs: true }, offset)
  if (outcome.outcome === 'cancelled') throw new Error(`${title} was not approved before the turn ended`)
  if (!outcome.optionId.startsWith('allow')) throw new Error(`${title} was not allowed`)
}

/** A question by the agent, or about it. */
export function ask(
  context: AghContext,
  session: LiveSession,
  { isOurs = false, ...question }: Omit<PermissionQuestion, 'turnId'> & { isOurs?: boolean },
  offset: number | null,
): Promise<Outcome> {
  const { title: detail, kind, toolCall } = question
  note(session, { type: 'turn_noted', input: { type: 'permission', detail }, at: nowMs(context) })
  const outcome = askPermission(
    session.permissions,
    { ...question, turnId: session.running?.id ?? null },
    {
      mode: session.meta.permissions,
      expiresMs: durationMs(context.config.session.timeouts.permission),
      isInside: (path) => isPlainPath(path, realPath(session, path)),
      now: () => context.clock.now(),
      record: (turnId, event) => take(context, session, { type: 'record', event, turnId }),
      recordDurably: (turnId, event) =>
        orFinishAndFail(session, () => perform(context, session, { type: 'record', event, turnId, isDurable: true })),
      remember: (memory) => rememberRequest(session, offset, memory),
      onAllowed(requestId, option) {
        const answer = { requestId, kind, toolCall, optionKind: option.kind, isOurs }
        const grants = addGrant(session.state.grants, answer, (path) => realPath(session, path))
        note(session, { type: 'grants_changed', grants })
      },
    },
    recallRequest(session, offset),
  )
  // Whoever cancelled the turn has answered everything that it still asks.
  if (turnOf(session.state)?.cancel) cancelPermissions(session.permissions)
  return outcome
}

/** For the next daemon, should it find the request unanswered. */
export function rememberRequest({ store }: LiveSession, offset: number | null, memory: RequestMemory): void {
  if (offset !== null) store.recordRequest({ note: { offset, done: JSON.stringify(memory) } })
}

export function recallRequest({ recalled }: LiveSession, offset: number | null): RequestMemory {
  return (offset === null ? undefined : recalled.get(offset)) ?? {}
}

function record(context: AghContext, session: LiveSession, content: PermissionContent): void {
  take(context, session, { type: 'record', event: { type: 'permission', content } })
}

export function rootsOf({ meta }: LiveSession): string[] {
  return [meta.workspace_path, ...(meta.additional_directories ?? [])]
}

function realPath(session: LiveSession, path: string): string | null {
  try {
    return confinePath(rootsOf(session), path)
  } catch {
    // Nothing is written outside the workspace anyway.
    return null
  }
}
