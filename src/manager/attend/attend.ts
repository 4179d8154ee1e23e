// What a person does about a session besides talking to it.

import { RETRY_MESSAGE } from '../../contract/dashboard/needs.ts'
import { AoError } from '../../contract/errors.ts'
import { THE_USER } from '../../contract/events.ts'
import { handInOf } from '../../contract/forges.ts'
import type { SendReceipt } from '../../contract/session.ts'
import { mergePull } from '../../landing/merge.ts'
import { findEvents } from '../active.ts'
import { type ManagerContext, requireActive, scmOf } from '../context.ts'
import { withSendLock } from '../message/send-lock.ts'
import { enrichOne } from '../observe/enrich.ts'
import { mergeContext } from '../pulls/merge-context.ts'
import { send } from '../send.ts'
import type { RetryResult, SnoozeRequest } from '../types.ts'

const LONGEST_SNOOZE_MS = 30 * 24 * 3_600_000

export async function snooze(context: ManagerContext, sessionId: string, request: SnoozeRequest | null): Promise<void> {
  const { store } = requireActive(context, sessionId)
  if (request === null) {
    await store.update(sessionId, { snoozedUntil: null, snoozedNeed: null })
    return
  }
  const { until, need } = request
  if (need === 'permission')
    throw new AoError('USAGE', 'A permission expires by itself and cannot be put off', {
      hint: `Answer it: ao session approve ${sessionId}`,
    })
  const ms = until.getTime() - context.clock.now().getTime()
  if (!(ms > 0 && ms <= LONGEST_SNOOZE_MS)) throw new AoError('USAGE', 'It can be put off for at most 30 days')
  await store.update(sessionId, { snoozedUntil: until, snoozedNeed: need }, [
    { type: 'session.snoozed', need, until: until.toISOString() },
  ])
}

export async function handIn(context: ManagerContext, sessionId: string): Promise<SendReceipt> {
  const { project } = requireActive(context, sessionId)
  const { complete } = handInOf(await scmOf(context, project))
  return send(context, sessionId, `Hand in your work now: ${complete}.`, { source: 'user' })
}

/** null: as in the configuration. */
export async function setBudget(context: ManagerContext, sessionId: string, usd: number | null): Promise<void> {
  const { store } = requireActive(context, sessionId)
  // The loop judges it anew; until then nothing claims that the new limit was reached.
  await store.update(sessionId, { budgetUsd: usd, overBudget: null }, ({ budgetUsd }) =>
    (budgetUsd ?? null) === usd ? [] : [{ type: 'budget.changed', usd }],
  )
}

const LONGEST_NAME = 200

/** null: it is called after its task again. Returns the name as it is stored. */
export async function rename(context: ManagerContext, sessionId: string, title: string | null): Promise<string | null> {
  const { store } = requireActive(context, sessionId)
  const name = title === null ? null : oneLine(title)
  if (name === '') {
    throw new AoError('USAGE', 'The name is empty', { hint: `To drop a name: ao session rename ${sessionId} --reset` })
  }
  if (name !== null && name.length > LONGEST_NAME)
    throw new AoError('USAGE', `The name is longer than ${LONGEST_NAME} characters`)
  await store.update(sessionId, { pinnedSummary: name }, ({ pinnedSummary }) =>
    (pinnedSummary ?? null) === name ? [] : [{ type: 'session.renamed', title: name }],
  )
  return name
}

/** Names are shown in tables and titles: no line breaks, and nothing that a terminal obeys. */
function oneLine(text: string): string {
  return text
    .replace(/\p{C}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

export async function stopTurn(
  context: ManagerContext,
  sessionId: string,
  { by = THE_USER }: { by?: string } = {},
): Promise<void> {
  const found = requireActive(context, sessionId)
  const heard = await findEvents(context, found)
  if (heard?.events.cancelTurn) await heard.events.cancelTurn(heard.handle)
  else {
    const { endTurnByHand } = await import('./end-turns.ts')
    await withSendLock(found.store, sessionId, 'person', () => endTurnByHand(context, found))
  }
  await found.store.appendEvents(sessionId, [{ type: 'turn.stopped', by }])
}

export async function retryTurn(
  context: ManagerContext,
  sessionId: string,
  { turnId }: { turnId?: string | undefined } = {},
): Promise<RetryResult> {
  const found = requireActive(context, sessionId)
  const heard = await findEvents(context, found)
  const turn = (await heard?.events.retryTurn?.(heard.handle, turnId).catch(orNothingFailed)) ?? null
  if (!turn) return { turn, receipt: await send(context, sessionId, RETRY_MESSAGE, { source: 'user' }) }
  const at = context.clock.now()
  await found.store.update(sessionId, { lastMessageAt: at, attendedAt: at }, [{ type: 'turn.retried', ...turn }])
  return { turn, receipt: null }
}

/** An agent may say in words that it failed: no turn of it did. */
function orNothingFailed(error: unknown): null {
  if (error instanceof AoError && error.details.reason === 'not_failed') return null
  throw error
}

export async function merge(
  context: ManagerContext,
  sessionId: string,
  sha: string,
): Promise<{ commit: string | null; boarded: boolean; projectId: string }> {
  const found = requireActive(context, sessionId)
  const { project } = found
  const { pr } = await enrichOne(context, found)
  if (pr === null) throw new AoError('PR_NOT_FOUND', `Session ${sessionId} has no pull request`)
  const scm = await scmOf(context, project)
  if (!scm?.mergePR) {
    throw new AoError('SCM_FAILED', `The forge of project ${project.id} cannot merge from here`, {
      hint: `Merge it there: ${pr.url}`,
    })
  }
  const order = { project, scm, pr, head: sha, sessionId }
  const { commit, boarded } = await mergePull(mergeContext(context, project, scm), order)
  return { commit, boarded, projectId: project.id }
}
