// The agent's questions as objects: asked, answered by a person, expired, or withdrawn with the turn. Every question and
// every answer is in the event log, and an answer is on disk before the agent or the person who gave it hears of it.
import type { EventBody, PermissionContent } from '../../../contract/agh/events.ts'
import type { PendingPermission } from '../../../contract/agh/session-meta.ts'
import { DECISIONS, type DecidedBy, type Decision, type PermissionMode } from '../../../contract/agh/session-terms.ts'
import { AoError } from '../../../contract/errors.ts'
import {
  chooseOption,
  judgeTool,
  optionLabel,
  type PermissionOption,
} from '../../../core/agh/session/permission-policy.ts'
import { changesOf } from '../../../core/agh/transcript/read-content.ts'
import { readInput } from '../../../core/queue/read-input.ts'

export interface PermissionDesk {
  pending: Map<string, Waiting>
  nextNumber: number
}

interface Waiting {
  view: PendingPermission
  options: readonly PermissionOption[]
  /** Rejects when the decision could not be recorded; the agent is then not given approval. */
  settle(by: DecidedBy, decision: Decision | 'cancelled', optionId?: string): Promise<void>
}

/** What was done about one request of the agent; kept until it has the response. */
export interface RequestMemory {
  /** The question as it was asked. */
  asked?: PendingPermission
  outcome?: Outcome
  /** A decision without a question; a text: why it was refused. */
  verdict?: true | string
  /** Its command was about to be started. */
  started?: true
}

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
  /** Whether a path is in the session's workspace. */
  isInside(path: string): boolean
  now(): Date
  /** Recorded with the next batch. */
  record(turnId: string | null, event: EventBody): void
  /** Resolves when it is on disk. A failed write ends the session. */
  recordDurably(turnId: string | null, event: EventBody): Promise<void>
  /** Recorded together with the next event. */
  remember(memory: RequestMemory): void
  /** A person allowed it. */
  onAllowed(requestId: string, option: PermissionOption): void
}

export type Outcome = { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' }

/** `nextNumber`: above those of an earlier daemon. */
export function createPermissionDesk(nextNumber = 1): PermissionDesk {
  return { pending: new Map(), nextNumber }
}

/** `before`: the same request was asked already, by an earlier daemon. */
export function askPermission(
  desk: PermissionDesk,
  question: PermissionQuestion,
  settings: DeskSettings,
  before: RequestMemory = {},
): Promise<Outcome> {
  if (before.outcome) return Promise.resolve(before.outcome)
  const view = before.asked ?? describe(desk, question, settings)
  const turnId = view.turn_id
  const event = (content: PermissionContent): EventBody => ({ type: 'permission', content })
  if (!before.asked) {
    // The changes and the input are in the tool call already.
    const { diffs: _, diffs_omitted: __, input: ___, ...recorded } = view
    settings.record(turnId, event({ ...recorded, tool_call: question.toolCall, decision: null }))
    settings.remember({ asked: view })
  }
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const settle: Waiting['settle'] = async (by, decision, optionId) => {
    clearTimeout(timer)
    desk.pending.delete(view.request_id)
    // Agents may offer several options of one kind: the one that was chosen counts.
    const chosen = question.options.find((one) => one.optionId === optionId)
    const option = decision === 'cancelled' ? null : (chosen ?? optionFor(question.options, decision, by))
    const shown = option ? option.kind.replace('_', '-') : 'cancelled'
    const answer = {
      ...{ request_id: view.request_id, title: view.title, decision: shown, decided_by: by },
      // For whoever finds out later that nobody was there.
      ...(by === 'expired' && view.input && { input: view.input }),
    }
    const outcome: Outcome = option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' }
    settings.remember({ asked: view, outcome })
    try {
      await settings.recordDurably(turnId, event(answer))
    } catch (error) {
      resolve({ outcome: 'cancelled' })
      throw error
    }
    if (option && by === 'user') settings.onAllowed(view.request_id, option)
    resolve(outcome)
  }
  const leftMs = before.asked ? Date.parse(view.expires_at) - settings.now().getTime() : settings.expiresMs
  const timer = setTimeout(() => settleUnasked(settle, 'expired', 'reject-once'), Math.max(0, leftMs))
  desk.pending.set(view.request_id, { view, options: question.options, settle })
  const verdict = judgeTool(settings.mode, question, settings.isInside)
  if (verdict !== 'ask') settleUnasked(settle, 'policy', verdict === 'allow' ? 'allow-once' : 'reject-once')
  return promise
}

/** Only the agent waits for it, and it is answered in any case. */
function settleUnasked(settle: Waiting['settle'], by: DecidedBy, decision: Decision | 'cancelled'): void {
  settle(by, decision).catch(() => undefined)
}

/** Exactly this option of the agent's; the decision follows from it. */
export function decisionOf(desk: PermissionDesk, requestId: string | undefined, optionId: string): Decision {
  const { view } = findWaiting(desk, requestId)
  const option = view.options.find(({ option_id }) => option_id === optionId)
  const decision = DECISIONS.find((one) => one === option?.decision)
  if (decision) return decision
  throw new AoError('USAGE', `The agent does not offer ${optionId} for ${view.title}`, {
    hint: `It offers: ${view.options.map(({ option_id }) => option_id).join(', ')}`,
  })
}

/** Resolves when the answer is on disk. */
export async function answerPermission(
  desk: PermissionDesk,
  requestId: string | undefined,
  { decision, optionId }: { decision: Decision; optionId?: string | undefined },
): Promise<string> {
  const waiting = findWaiting(desk, requestId)
  if (!chooseOption(waiting.options, decision)) {
    const offered = waiting.view.options.map((option) => option.decision).join(', ')
    throw new AoError('USAGE', `The agent does not offer ${decision} for ${waiting.view.title}`, {
      hint: `It offers: ${offered}`,
    })
  }
  await waiting.settle('user', decision, optionId)
  return waiting.view.request_id
}

/** Every question ends with its turn, and the agent is notified. */
export function cancelPermissions(desk: PermissionDesk): void {
  for (const { settle } of [...desk.pending.values()]) settleUnasked(settle, 'turn_cancelled', 'cancelled')
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

/** A policy that approves everything may take the only approval on offer. */
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
      name: optionLabel({ name, kind }),
      decision: kind.replace('_', '-'),
    })),
    asked_at: new Date(now).toISOString(),
    expires_at: new Date(now + settings.expiresMs).toISOString(),
    ...readInput(question.title, question.toolCall),
    ...changesOf(question.toolCall),
  }
}
