// Decide, store the intent, write the new status, then act. In this order a crash at any point loses no reaction: what was
// intended and not confirmed is found in the memory, whatever the status says by then.

import { landsAlone } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { ReactionAction, ReactionMemory, ReactionRecord, WorkProgress } from '../../contract/reactions.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { AgentStop } from '../../contract/record-values.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { gateName } from '../../core/landing/gate-name.ts'
import { MAX_QUESTION, requestLine } from '../../core/queue/describe-request.ts'
import type { Collision } from '../../core/radar/collisions.ts'
import { afterAct, decideReactions, type ReactionAnswer } from '../../core/reactions/decide-reactions.ts'
import { findConditions } from '../../core/reactions/find-conditions.ts'
import type { PullNews } from '../../core/reactions/pull-news.ts'
import type { SharedFailure } from '../../core/reactions/shared-failures.ts'
import { AGENT_KEYS } from '../../core/reactions/work-progress.ts'
import { recordedPulls } from '../../core/status/recorded-facts.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { ObservedSession } from '../../manager/observe/observe-sessions.ts'
import type { LoopContext, SessionTick } from '../loop/loop-context.ts'
import { act } from './act.ts'
import type { Judged, Observation } from './observe-session.ts'
import { hasUnfinished } from './reaction-memory.ts'
import { recordChanges } from './record-changes.ts'

export async function settle(
  loop: LoopContext,
  project: ProjectConfig,
  one: Judged,
  shared: SharedFailure[],
): Promise<SessionTick> {
  const { observed, memory, stored } = one
  const { stopped } = recordOf(observed.session)
  const isHalted = one.isPaused || stopped?.state === 'stopped'
  if (stopped && !one.isPaused && mayGoOn(stopped, one)) goOn(loop, observed.session.id)
  const answer = !isHalted && mayDecide(loop, one) ? decide(loop, project, one, shared) : { decisions: [], memory }
  loop.reactions.write(project.id, observed.session.id, { before: stored, after: answer.memory })
  failpoint('loop.intended')
  const { session, isCurrent } = await recordChanges(loop, project, one)
  failpoint('loop.recorded')
  // What waits is for the agent that takes over.
  const isSwitching = answer.decisions.some((one) => one.kind === 'act' && one.action === 'switch-account')
  if (isCurrent && !isSwitching) releaseHeld(loop, one)
  const changed = session.status !== observed.session.status
  const isOver = isTerminalSession({ status: session.status, activity: null })
  const watchScreen = !isOver && showsMore(observed)
  const outcome = { session, changed, watchScreen, nextChangeAt: isOver ? null : one.nextChangeAt }
  // The record changed while we observed: the intent stands, and the next tick decides whether it still holds.
  if (!isCurrent || answer.decisions.length === 0) return { ...outcome, decisions: [] }
  const acting = (loop.act ?? act)(loop, {
    project,
    session,
    reached: { ...observed, session },
    lostTogether: one.lostTogether,
    pulls: one.pulls,
    decisions: answer.decisions,
    memory: answer.memory,
  })
    .then((outcomes) => {
      failpoint('loop.acted')
      loop.seen?.push({ kind: 'acted', project: project.id, session: session.id, outcomes })
      const after = { ...answer.memory }
      for (const { key, record, succeeded, at } of outcomes) after[key] = afterAct(record, succeeded, at)
      loop.reactions.write(project.id, session.id, { before: answer.memory, after })
    })
    .catch((error) => loop.context.log.error(`the reactions of ${session.id} failed: ${errorText(error)}`))
    .finally(() => loop.acting.delete(session.id))
  loop.acting.set(session.id, acting)
  return { ...outcome, decisions: answer.decisions }
}

/** The budget that stopped it allows more, or another day has begun. One that was being stopped is judged like the others. */
function mayGoOn({ state }: AgentStop, { overBudget }: Judged): boolean {
  return state === 'continuing' || (state === 'stopped' && overBudget?.over.action !== 'pause')
}

function goOn(loop: LoopContext, sessionId: string): void {
  if (loop.releasing.has(sessionId)) return
  const going = loop.manager
    .resumeAgent(sessionId)
    .then((isGoing) => isGoing && loop.say(`${sessionId}: it may spend more, and goes on`))
    .catch((error) => loop.context.log.warn(`${sessionId} does not go on: ${errorText(error)}`))
    .finally(() => loop.releasing.delete(sessionId))
  loop.releasing.set(
    sessionId,
    going.then(() => undefined),
  )
}

/** Its screen may tell before its files do. Agents without files are watched by their screens anyway. */
function showsMore({ session, agent, isGlimpse, reading }: ObservedSession): boolean {
  if (session.runtimeHandle === null || agent?.watchPaths === undefined) return false
  return isGlimpse || reading?.watchScreen === true
}

function mayDecide(loop: LoopContext, { observed, status, memory, isActing }: Observation): boolean {
  const { session, facts } = observed
  // An earlier decision is being carried out, or was when its memory was read: the next tick knows how it went.
  if (facts.operation || isActing || loop.acting.has(session.id)) return false
  const wasOver = isTerminalSession({ status: session.status, activity: null }) && session.status === status
  // An ended session is history: only its end itself calls for a reaction, until that was carried out.
  return !wasOver || hasUnfinished(memory) || recordOf(session).switchTo !== undefined
}

/** What the agent wrote last is its question only where it asks in words; a dialog is read when it is sent to a person. */
function questionOf({ reading, info }: Pick<ObservedSession, 'reading' | 'info'>): string | null {
  if (reading?.state !== 'waiting_input') return null
  const request = info?.pendingPermissions?.[0]
  if (request) return requestLine(request, MAX_QUESTION)
  return reading.asksInWords ? (info?.lastMessage ?? null) : null
}

function decide(loop: LoopContext, project: ProjectConfig, one: Judged, shared: SharedFailure[]): ReactionAnswer {
  const { observed, status, pulls, memory } = one
  const { session, reading } = observed
  const { at: now } = one
  // A reading without a time must not seem new at every tick.
  const launchedAt = (session.restoredAt ?? session.createdAt).getTime()
  const found = findConditions({
    sessionId: session.id,
    status,
    launch: recordOf(session).launch ?? 1,
    activity: reading ? { state: reading.state, at: reading.timestamp?.getTime() ?? launchedAt } : null,
    pulls,
    merged: recordedPulls(recordOf(session)).flatMap(({ url, state }) => (state === 'merged' ? [url] : [])),
    question: questionOf(observed),
    finished: one.isFinished ? { expired: observed.info?.expiredRequest?.text ?? null } : null,
    sharedFailures: [
      ...shared.filter(({ sessionIds }) => sessionIds.includes(session.id)).map(({ check }) => check),
      // It hears of the findings themselves.
      ...(project.gates ?? []).flatMap(({ name, reviewed }) => (reviewed ? [gateName(name)] : [])),
    ],
    baseBranch: recordOf(session).baseBranch ?? project.defaultBranch,
    collisions: collisionsFor(loop, project.id, session.id),
    handIn: one.handIn,
    overBudget: one.overBudget,
    limitResetsAt: observed.facts.limitResetsAt,
    fallback: one.fallback,
    told: mapRecords(memory, ({ told }) => told),
    heard: mapRecords(memory, ({ heard, told }) => heard ?? told),
    now,
  })
  const rules = loop.rules.get(project.id)!
  const { task } = recordOf(session)
  const mayWork = !one.overBudget || one.overBudget.over.action === 'notify'
  const conditions = found.conditions
    .filter((found) => !one.undecided.has(found.memory))
    // Nothing starts another turn of an agent that may not spend more; it waits until it may.
    .filter(({ key, action }) => mayWork || key === 'over-budget' || !WAKES_AGENT.includes(action ?? rules[key].action))
    // Ready pull requests board the train by themselves: nobody has to act.
    .filter(({ key }) => key !== 'approved-and-green' || project.landing?.mode !== 'train')
    // One of several tries waits for a choice, and a group lands as a whole.
    .filter(({ key }) => key !== 'approved-and-green' || task === undefined || landsAlone(recordOf(session)))
    // A reviewer has no work to hand in; what becomes of its review is decided elsewhere.
    .filter(({ key }) => recordOf(session).role !== 'reviewer' || key === 'agent-needs-input')
    // A question is identified by its time, which a glimpse does not have.
    .filter(({ key }) => !(observed.isGlimpse && reading !== null && AGENT_KEYS.includes(key)))
  const { resolved, calmed, lapsed } = found
  return decideReactions({ conditions, resolved, calmed, lapsed, memory, rules, now, progress: readProgress(one) })
}

const WAKES_AGENT: readonly ReactionAction[] = ['send-to-agent', 'restart-agent', 'switch-account']

/** null: the radar has not seen the project yet. */
function collisionsFor(loop: LoopContext, projectId: string, sessionId: string): Collision[] | null {
  const view = loop.radar.get(projectId)
  return view ? (view.collisions.get(sessionId) ?? []) : null
}

function mapRecords(memory: ReactionMemory, of: (record: ReactionRecord) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(memory).flatMap(([key, record]) => (record ? [[key, of(record)]] : [])))
}

/** The state of a session's work: its commit, what the forge says about its pull request, when a person last intervened. */
function readProgress({ observed, pulls, head }: Observation): WorkProgress {
  const record = recordOf(observed.session)
  return {
    ...(head === null ? {} : { head }),
    ...prProgress(record, pulls),
    attendedAt: record.attendedAt?.toISOString() ?? '',
  }
}

/** The forge was not queried or did not answer: its previous answer, if any, is in the record. */
function prProgress(record: SessionRecord, pulls: readonly PullNews[]): Pick<WorkProgress, 'pr'> {
  const read = pulls.map(({ pull: { pr, headSha, ci, review } }) => ({ url: pr.url, head: headSha, ci, review }))
  const { pr = '', prHead } = record
  if (read.length === 0 && pr !== '' && prHead === undefined) return {}
  const isUnread = ({ url }: { url: string }) => !read.some((one) => one.url === url)
  const recorded = recordedPulls(record).map((one) => (one.url === pr ? { ...one, head: prHead } : one))
  const all = [...recorded.filter(isUnread), ...read].map(({ url, head, ci, review }) =>
    [url, head, ci, review].join(' '),
  )
  return { pr: all.sort().join(' ') }
}

/**
 * Delivers messages that were held while the agent waited for an answer: beside the ticks, like every act. The delivery
 * checks whether the agent accepts one now.
 */
function releaseHeld(loop: LoopContext, { observed, status }: Observation): void {
  const { session, facts, reading } = observed
  if (!recordOf(session).messagesOnTheWay?.length || facts.operation || loop.releasing.has(session.id)) return
  if (isTerminalSession({ status, activity: reading?.state ?? null })) return
  const releasing = release(loop, session.id).finally(() => loop.releasing.delete(session.id))
  loop.releasing.set(session.id, releasing)
}

async function release(loop: LoopContext, sessionId: string): Promise<void> {
  try {
    const receipts = (await loop.manager.deliverHeld(sessionId)) ?? []
    const delivered = receipts.filter(({ level }) => level === 'seen' || level === 'handed_over').length
    if (delivered > 0)
      loop.say(`${sessionId}: delivered ${delivered === 1 ? 'a message' : `${delivered} messages`} that had been held`)
  } catch (error) {
    loop.context.log.warn(`Messages held for ${sessionId} were not delivered: ${errorText(error)}`)
  }
}
