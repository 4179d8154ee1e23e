// One pass over the sessions of a project: observe → derive → decide → act. Nothing calls backwards: the next tick observes
// what an act brings about.

import { setImmediate } from 'node:timers/promises'
import { hasBudget } from '../../contract/budget.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import { isNewerRecord } from '../../contract/formats.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { type CheckFailure, findSharedFailures, type SharedFailure } from '../../core/reactions/shared-failures.ts'
import { isMergeConfirmed } from '../../core/status/recorded-facts.ts'
import { measure } from '../../lib/measures.ts'
import { projectSessions } from '../../manager/active.ts'
import { reachSessions, requireProject, scmOf } from '../../manager/context.ts'
import { observeSessions } from '../../manager/observe/observe-sessions.ts'
import type { Judged, LoopContext, Observation, ObservedRound, SessionTick, TickOptions } from '../loop/loop-context.ts'
import { countSpending, overBudgetOf } from '../spending/count-spending.ts'
import { judgeLimits } from '../spending/judge-limits.ts'
import { notePlaces, notifyAllComplete, notifyShared } from './notify-project.ts'
import { observeSession } from './observe-session.ts'
import { hasUnfinished } from './reaction-memory.ts'
import { mayOpenAnother, readForge } from './read-forge.ts'
import { recordScreens } from './record-screens.ts'
import { settle } from './settle.ts'

export type { TickOptions } from '../loop/loop-context.ts'

export async function tick(loop: LoopContext, projectId: string, options: TickOptions = {}): Promise<SessionTick[]> {
  const project = requireProject(loop.context, projectId)
  const all = projectSessions(loop.context, projectId)
  const askForge = options.askForge !== false
  const stored = all.filter(
    (one) => (options.only?.has(one.id) ?? true) && isWorthObserving(loop, project, one, askForge),
  )
  const reached = await reachSessions(loop.context, stored)
  if (options.readScreens && reached.some(({ agent }) => agent?.recordActivity)) await recordScreens(loop, reached)
  const observed = await observeSessions(loop.context, reached)
  noteRuntimes(loop, observed)
  const isAll = options.only === undefined
  await quietly(loop, () => notePlaces(loop, project, { observed, isAll }))
  const forge = await readForge(loop, project, scmOf(loop.context, project), askForge ? stored : [])
  // One moment for all of them: what follows from it can be decided again from a recording.
  const now = loop.context.clock.now().getTime()
  const observations = await collect(
    loop,
    observed,
    ({ session }) => session.id,
    (one) => observeSession(loop, project, one, { forge, now }),
  )
  measure('observed', {
    repository: loop.context.paths.hash,
    project: projectId,
    sessions: () =>
      observed.map((one) => ({ ...one.session, agentInfo: one.info, activity: one.reading?.state ?? null })),
  })
  const settled = await settleAll(loop, project, { now, all, observations, options })
  if (!options.inBackground)
    await Promise.all(settled.flatMap(({ session: { id } }) => [loop.acting.get(id), loop.releasing.get(id)]))
  return settled
}

/** What follows from a round's observations. A replay enters here, with those of another day. */
export async function settleAll(
  loop: LoopContext,
  project: ProjectConfig,
  round: ObservedRound,
): Promise<SessionTick[]> {
  const { all, observations, options } = round
  const overBudget = judgeSpending(loop, project, { all, observations })
  const fallback = observations.some(mayChangeAccount) ? judgeLimits(loop, project, { all, observations }) : () => null
  const lost = observations.filter(isLost).map(({ observed: { session } }) => session)
  const judged = observations.map(
    (one): Judged => ({
      ...one,
      overBudget: overBudget(one),
      fallback: fallback(one),
      lostTogether: lost.length > 1 && isLost(one) ? lost : [],
      isPaused: one.observed.isFleetPaused,
    }),
  )
  const shared = sharedFailures(observations)
  if (shared.length > 0) await quietly(loop, () => notifyShared(loop, project, shared))
  const settled = await collect(
    loop,
    judged,
    (one) => one.observed.session.id,
    (one) => settle(loop, project, one, shared),
  )
  await quietly(loop, () => notifyAllComplete(loop, project, all, settled))
  if (options.only === undefined) {
    const repository = loop.context.paths.hash
    measure('sessions', { repository, project: project.id, sessions: () => afterRound(all, settled) })
  }
  loop.seen?.push({ kind: 'round', project: project.id, ...round, settled, radar: loop.radar.get(project.id) })
  return settled
}

/** Its runtime no longer has it, and how it ended is unknown: what took it may have taken others. */
function isLost({ observed: { session, liveness }, status }: Observation): boolean {
  if (status !== 'killed' || session.status === status || liveness?.state !== 'dead') return false
  return (liveness.exitCode ?? null) === null && (liveness.signal ?? null) === null
}

/** The limit that each has reached; null: it may spend more. undefined: nothing is counted. */
function judgeSpending(
  loop: LoopContext,
  project: ProjectConfig,
  { all, observations }: { all: readonly Session[]; observations: readonly Observation[] },
): (one: Observation) => Judged['overBudget'] {
  if (!hasBudget(loop.context.config, project, all)) return () => undefined
  const spending = countSpending(loop, project, { all, observed: observations.map(({ observed }) => observed) })
  return ({ observed: { session, info } }) => {
    const over = overBudgetOf(loop, project, { ...session, agentInfo: info }, spending)
    return over && { over, day: spending.day }
  }
}

/** A limit stops its agent, or it is on its way to another account. */
function mayChangeAccount({ observed: { facts, session } }: Observation): boolean {
  return Boolean(facts.limitResetsAt) || recordOf(session).switchTo !== undefined
}

function afterRound(all: readonly Session[], settled: SessionTick[]): Session[] {
  const now = new Map(settled.map(({ session }) => [session.id, session]))
  return all.map((session) => now.get(session.id) ?? session)
}

/** An ended session does not change, except for its pull request and pending reactions. */
function isWorthObserving(loop: LoopContext, project: ProjectConfig, session: Session, askForge: boolean): boolean {
  // Its record is a newer program's, and nothing may be done that cannot be recorded.
  if (isNewerRecord(recordOf(session))) return false
  if (!isTerminalSession({ status: session.status, activity: null })) return true
  const isOpen = !isMergeConfirmed(recordOf(session)) || mayOpenAnother(session, project)
  if (askForge && session.pr !== null && isOpen) return true
  if (recordOf(session).switchTo !== undefined) return true
  try {
    return hasUnfinished(loop.reactions.read(session.projectId, session.id))
  } catch {
    // Observed like the others, so that the failure is reported as this session's own.
    return true
  }
}

/** One session's failure does not affect the others. */
async function collect<T, R>(
  loop: LoopContext,
  items: readonly T[],
  nameOf: (item: T) => string,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const workOn = async (item: T): Promise<R[]> => {
    try {
      return [await work(item)]
    } catch (error) {
      loop.context.log.error(`Could not update ${nameOf(item)}: ${errorText(error)}`)
      return []
    }
  }
  const begun: Promise<R[]>[] = []
  for (const item of items) {
    begun.push(workOn(item))
    // Writes are awaited, and the server of this process answers in between.
    if (begun.length % BEGUN_AT_ONCE === 0) await setImmediate()
  }
  return (await Promise.all(begun)).flat()
}

/** In one turn of the event loop, about two milliseconds. By number, not by time: a simulated life is the same every time. */
const BEGUN_AT_ONCE = 20

/** A notification that could not be sent now is sent by the next tick; the sessions must not wait for it. */
async function quietly(loop: LoopContext, notify: () => Promise<void>): Promise<void> {
  try {
    await notify()
  } catch (error) {
    loop.context.log.error(`a notification could not be kept: ${errorText(error)}`)
  }
}

function noteRuntimes(loop: LoopContext, observed: Awaited<ReturnType<typeof observeSessions>>): void {
  const byRuntime = Map.groupBy(
    observed.filter(({ liveness }) => liveness !== null),
    ({ session }) => session.runtimeHandle?.runtimeName ?? '',
  )
  for (const [name, group] of byRuntime) {
    const unknown = group.map(({ liveness }) => liveness).find((one) => one?.state === 'unknown')
    loop.health(name, unknown ? 'warn' : 'ok', unknown?.state === 'unknown' ? unknown.why : undefined)
  }
}

/** One session's own failure is nobody else's. */
function sharedFailures(observations: readonly Observation[]): SharedFailure[] {
  const failures = observations.flatMap((one) => checkFailures(one))
  const isAlone = failures.every(({ sessionId, failsOnBase }) => !failsOnBase && sessionId === failures[0]?.sessionId)
  return isAlone ? [] : findSharedFailures(failures)
}

function checkFailures({ observed, pulls }: Observation): CheckFailure[] {
  return pulls.flatMap(({ pull, failedChecks }) => {
    const failed = pull.ci === 'failing' ? failedChecks : []
    return failed.map(({ name, logTail }) => ({
      sessionId: observed.session.id,
      check: name,
      logTail,
      failsOnBase: pull.failingOnBase.includes(name),
    }))
  })
}
