// Questions of the agent as objects: asked, answered by a person, expired, or taken back with the turn. Every question
// and every answer is in the history.
import type { EventDraft } from '../../../contract/agh/events.ts'
import type { PendingPermission } from '../../../contract/agh/session-meta.ts'
import { DECISIONS, type Decision, type PermissionMode } from '../../../contract/agh/words.ts'
import { AoError } from '../../../contract/errors.ts'
import { chooseOption, judgeTool, type PermissionOption } from '../../../core/agh/session/permission-policy.ts'

export interface PermissionDesk {
  pending: Map<string, Waiting>
  nextNumber: number
}

interface Waiting {
  view: PendingPermission
  options: readonly PermissionOption[]
  settle(by: DecidedBy, decision: Decision | 'cancelled'): void
}

export type DecidedBy = 'policy' | 'user' | 'expired' | 'turn_cancelled'

export interface PermissionQuestion {
  turnId: string | null
  title: string
  kind: string
  toolCall: unknown
  options: readonly PermissionOption[]
}

export interface DeskSettings {
  mode: PermissionMode
  expiresMs: number
  now(): Date
  record(draft: EventDraft): void
}

export type Outcome = { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' }

export function createPermissionDesk(): PermissionDesk {
  return { pending: new Map(), nextNumber: 1 }
}

export function askPermission(
  desk: PermissionDesk,
  question: PermissionQuestion,
  settings: DeskSettings,
): Promise<Outcome> {
  const view = describe(desk, question, settings)
  const record = (content: object) => settings.record({ turn_id: question.turnId, type: 'permission', content })
  record({ ...view, tool_call: question.toolCall, decision: null })
  return new Promise((resolve) => {
    const settle: Waiting['settle'] = (by, decision) => {
      clearTimeout(timer)
      desk.pending.delete(view.request_id)
      const option = decision === 'cancelled' ? null : optionFor(question.options, decision, by)
      record({
        request_id: view.request_id,
        title: view.title,
        decision: option ? option.kind.replace('_', '-') : 'cancelled',
        decided_by: by,
      })
      resolve(option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' })
    }
    const timer = setTimeout(() => settle('expired', 'reject-once'), settings.expiresMs)
    desk.pending.set(view.request_id, { view, options: question.options, settle })
    const verdict = judgeTool(settings.mode, question.kind)
    if (verdict !== 'ask') settle('policy', verdict === 'allow' ? 'allow-once' : 'reject-once')
  })
}

/** Exactly this option of the agent's; its decision follows from it. */
export function decisionOf(desk: PermissionDesk, requestId: string | undefined, optionId: string): Decision {
  const { view } = findWaiting(desk, requestId)
  const option = view.options.find(({ option_id }) => option_id === optionId)
  const decision = DECISIONS.find((one) => one === option?.decision)
  if (decision) return decision
  throw new AoError('USAGE', `The agent does not offer ${optionId} for ${view.title}`, {
    hint: `It offers: ${view.options.map(({ option_id }) => option_id).join(', ')}`,
  })
}

export function answerPermission(desk: PermissionDesk, requestId: string | undefined, decision: Decision): string {
  const waiting = findWaiting(desk, requestId)
  if (!chooseOption(waiting.options, decision)) {
    const offered = waiting.view.options.map((option) => option.decision).join(', ')
    throw new AoError('USAGE', `The agent does not offer ${decision} for ${waiting.view.title}`, {
      hint: `It offers: ${offered}`,
    })
  }
  waiting.settle('user', decision)
  return waiting.view.request_id
}

/** With its turn every question ends, and the agent is told so. */
export function cancelPermissions(desk: PermissionDesk): void {
  for (const waiting of [...desk.pending.values()]) waiting.settle('turn_cancelled', 'cancelled')
}

function findWaiting(desk: PermissionDesk, requestId: string | undefined): Waiting {
  if (requestId === undefined && desk.pending.size === 1) return [...desk.pending.values()][0]!
  const waiting = requestId === undefined ? undefined : desk.pending.get(requestId)
  if (waiting) return waiting
  const ids = [...desk.pending.keys()]
  const message =
    requestId === undefined ? `${ids.length} permission requests wait` : `No permission request ${requestId} waits`
  throw new AoError('PERMISSION_NOT_FOUND', message, { details: { waiting: ids } })
}

/** A policy that says yes to everything may take the only yes there is. */
function optionFor(options: readonly PermissionOption[], decision: Decision, by: DecidedBy): PermissionOption | null {
  const option = chooseOption(options, decision)
  return option ?? (by === 'policy' && decision === 'allow-once' ? chooseOption(options, 'allow-always') : null)
}

function describe(desk: PermissionDesk, question: PermissionQuestion, settings: DeskSettings): PendingPermission {
  const now = settings.now().getTime()
  return {
    request_id: `perm-${desk.nextNumber++}`,
    turn_id: question.turnId,
    title: question.title,
    kind: question.kind,
    options: question.options.map(({ optionId, name, kind }) => ({
      option_id: optionId,
      name,
      decision: kind.replace('_', '-'),
    })),
    asked_at: new Date(now).toISOString(),
    expires_at: new Date(now + settings.expiresMs).toISOString(),
  }
}
