// The facts behind a session's status and what was done about it, in words: for `ao why` and for the dashboard.

import type { AccountLimit } from '../../contract/account.ts'
import { taskWord } from '../../contract/blocker.ts'
import { isNewerRecord } from '../../contract/formats.ts'
import type { ReactionMemory } from '../../contract/reactions.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import { damageOf, type Session } from '../../contract/session.ts'
import { type ActivityState, isTerminalSession } from '../../contract/status.ts'
import { accountName, limitsAt } from '../budget/choose-fallback.ts'
import { whyNotAlone } from '../task/decide-landing.ts'
import { waitsFor } from '../task/read-blockers.ts'
import { formatAge } from '../text/format-age.ts'
import { foundTexts, otherPulls, recordedPrFacts } from './recorded-facts.ts'

/** What it stands on, and how far it follows that. */
function stackFacts({ stack, baseBranch }: SessionRecord): string[] {
  if (stack === undefined) return []
  const at = stack.at === undefined ? '' : `; its own work begins after ${stack.at.slice(0, 10)}`
  const ground =
    stack.on === null
      ? `what it stood on has landed, and its work is for ${baseBranch ?? 'the default branch'}${at}`
      : `it stands on the branch of ${stack.on}, which has not landed${at}`
  return [
    ground,
    ...(stack.moving ? [`it is being brought onto ${stack.moving.onto.slice(0, 10)}`] : []),
    ...(stack.requested ? [`its agent was asked to rebase it onto ${stack.requested.slice(0, 10)}`] : []),
    ...(stack.why ? [`it does not follow by itself: ${stack.why}`] : []),
  ]
}

const FORKED = {
  copied: ' and a copy of its conversation',
  new: ' in a new conversation',
  unknown: '',
}

export interface ExplainedSession {
  session: Session
  /** null: it is active. */
  archivedAt: Date | null
}

export const AGENT_DOES: Readonly<Record<ActivityState, string>> = {
  active: 'is active',
  ready: 'is ready',
  idle: 'is idle',
  waiting_input: 'is waiting for input',
  blocked: 'is blocked',
  exited: 'has exited',
}

/** What holds now. */
export function explainStatus({ session, archivedAt }: ExplainedSession, now: Date): string[] {
  const { activity, lastActivityAt, runtimeHandle } = session
  const { blockedBy, unknown, paused } = session.agentInfo ?? {}
  const record = recordOf(session)
  const facts: string[] = []
  if (archivedAt) facts.push(`it was archived ${formatAge(archivedAt, now)} ago`)
  const damage = damageOf(session)
  const isNewer = isNewerRecord(recordOf(session))
  if (damage) facts.push(`its record is ${isNewer ? 'not of this version' : 'damaged'}: ${damage}`)
  if (record.paused)
    facts.push(`it was paused ${formatAge(record.paused, now)} ago; a message or a restore continues it`)
  if (paused) facts.push(`it was paused ${formatAge(new Date(paused.since), now)} ago ${paused.why}; ${paused.resumes}`)
  const waits = waitsFor(session)
  if (waits !== null) {
    const then = record.heldBack ? '' : ', and then starts by itself'
    facts.push(`it ${waits}, for ${formatAge(record.waitsSince ?? now, now)} now${then}`)
    if (record.heldBack) facts.push(`it does not start by itself: ${record.heldBack}`)
  }
  if (record.task) {
    facts.push(
      `it is ${taskWord(record.task)} of task ${record.task.id}${record.task.chosen && record.task.kind === 'best' ? ', and was chosen' : ''}`,
    )
    const held = whyNotAlone(record, session.id)
    if (held !== null) facts.push(`it does not land by itself: ${held}`)
  }
  if (record.forkedFrom)
    facts.push(`it began with the work of ${record.forkedFrom}${FORKED[record.forkConversation ?? 'unknown']}`)
  facts.push(...stackFacts(record))
  if (record.operation) facts.push(`a ${record.operation} is under way, or was interrupted`)
  const hasEnded = activity === 'exited' || archivedAt !== null
  if (runtimeHandle)
    facts.push(
      unknown
        ? `it was started in ${runtimeHandle.runtimeName}; whether it is running could not be found out`
        : `it ${hasEnded ? 'ran' : 'runs'} in ${runtimeHandle.runtimeName}${hasEnded ? ', where it has ended' : ''}`,
    )
  if (activity && activity !== 'exited')
    facts.push(`its agent ${AGENT_DOES[activity]}, last active ${formatAge(lastActivityAt, now)} ago`)
  if (unknown) facts.push(`what its agent is doing is unknown: ${unknown.why}`)
  if (blockedBy !== undefined) facts.push(blockedFact(blockedBy))
  const expired = session.agentInfo?.expiredRequest
  if (expired !== undefined)
    facts.push(
      `nobody answered in time, so it was refused ${formatAge(new Date(expired.at), now)} ago: ${expired.text}`,
    )
  const resetsAt = session.agentInfo?.limitResetsAt
  if (resetsAt !== undefined) facts.push(`it waits for its limit, which is reset at ${resetsAt.toISOString()}`)
  if (record.account !== undefined) facts.push(`it uses the account ${record.account}`)
  if (record.conversationTo !== undefined && !record.forkedFrom)
    facts.push(`its agent goes back to before turn ${record.conversationTo} when it is started next`)
  if (record.switchTo !== undefined) facts.push(`it is being continued with another account: ${record.switchTo.why}`)
  facts.push(...limitsAt(record.limits ?? [], now.getTime()).map(limitFact))
  if (record.overBudget !== undefined) facts.push(`it has reached its budget: ${record.overBudget}`)
  if (record.status !== undefined && session.status !== record.status && archivedAt === null)
    facts.push(`its record says ${record.status}; the facts of this moment say ${session.status}`)
  if (lacksPrompt(session, record)) facts.push('it has not been given its first prompt')
  if (!session.pr) return [...facts, 'it has no pull request']
  const { ci = 'unknown', review = 'unknown' } = record
  const state = session.status === 'merged' ? 'merged' : record.prState
  const uncounted = record.uncountedReviewers ?? []
  const { left, waits: turn, byHand } = recordedPrFacts(record) ?? {}
  return [
    ...facts,
    state === undefined
      ? `its pull request ${session.pr.url} has not been read from its forge yet`
      : `its pull request ${session.pr.url} is ${state}; CI ${ci}, review ${review}`,
    ...(state === 'open' ? foundTexts(recordedPrFacts(record)).map(({ text }) => `about its change: ${text}`) : []),
    ...(left === undefined ? [] : [leftFact(left)]),
    ...(turn === undefined ? [] : [`its pull request waits: ${turn}`]),
    ...(byHand ? [handFact()] : []),
    ...otherPulls(record).map(
      (one) => `another pull request of it, ${one.url}, is ${one.state}; CI ${one.ci}, review ${one.review}`,
    ),
    ...(uncounted.length > 0
      ? [`reviews by people outside the repository are not counted: ${uncounted.join(', ')}`]
      : []),
  ]
}

/** Why it does not land. */
export function leftFact(left: string): string {
  return `its pull request left the train: ${left}`
}

/** It is merged, but not by a merge that anybody approved here. */
export function handFact(baseBranch = 'the base branch'): string {
  return `${baseBranch} was moved by hand: no merge of ao brought its commits there`
}

function limitFact({ until, why, ...account }: AccountLimit): string {
  return `${accountName(account)} ${why === undefined ? 'has reached its limit' : `could not be used: ${why}`}, until ${until}`
}

/** Why nothing continues, for a list of facts. */
export function blockedFact(blockedBy: string): string {
  return `it is blocked by: ${blockedBy}`
}

/** What is remembered about each reaction. */
export function explainReactions(memory: ReactionMemory, now: Date): string[] {
  return Object.entries(memory).flatMap(([key, record]) => {
    if (!record) return []
    const ago = formatAge(new Date(record.lastAt), now)
    const states = {
      done: `done ${ago} ago`,
      dropped: `over ${ago} ago, before anything was done`,
      intended: `decided ${ago} ago, not confirmed yet`,
      failed: `failed; the next try ${record.retryAt > now.getTime() ? `in ${formatAge(now, new Date(record.retryAt))}` : 'is due'}`,
    }
    const escalated = record.escalated ? '; a person was notified' : ''
    return [`${key}: ${states[record.state]}, attempt ${record.attempts}${escalated}`]
  })
}

/** Whoever starts it is still about to give it, or was interrupted. */
function lacksPrompt({ runtimeHandle, status }: Session, { operation, promptDelivered }: SessionRecord): boolean {
  const isOver = isTerminalSession({ status, activity: null })
  return promptDelivered === 'no' && operation === undefined && runtimeHandle !== null && !isOver
}
