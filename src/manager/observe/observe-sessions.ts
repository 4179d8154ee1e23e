// What can be observed of sessions right now: whether they are alive, what their agents are doing, what they cost. Decides
// nothing.

import { isOrchestrator } from '../../contract/ids.ts'
import { recordOf } from '../../contract/record.ts'
import type { PausedAgent, RuntimeHandle, Session, UnknownAgent } from '../../contract/session.ts'
import { readLimitReset } from '../../core/budget/limit-reset.ts'
import type { StatusFacts } from '../../core/status/derive-status.ts'

import { decidingFacts, heedMessage, heedRecord, pausedAgent, recordedTurn } from '../../core/status/recorded-facts.ts'
import { startTimeBudget, type TimeBudget } from '../../lib/clock.ts'
import type { ActivityReading, ReadOptions } from '../../slots/agent.ts'
import type { Liveness, Runtime } from '../../slots/runtime.ts'
import type { SessionReading } from '../../slots/session-events.ts'
import { type FleetPause, isPaused, readPause } from '../../store/fleet-pause.ts'
import { type ManagerContext, pluginsOf, type ReachedSession, reachSessions } from '../context.ts'
import { readOperation } from '../operation.ts'
import { readAgentEvents } from './read-events.ts'
import { readStart } from './read-start.ts'

/** A probe or a plugin that takes longer is not waited for; the session keeps what its record says. */
const OBSERVE_TIMEOUT_MS = 2_000

export interface ObservedSession extends ReachedSession {
  facts: StatusFacts
  liveness: Liveness | null
  reading: ActivityReading | null
  info: Session['agentInfo']
  paused: PausedAgent | null
  /** Everything is paused, whether or not its agent was stopped for it. */
  isFleetPaused: boolean
  /** The reading is what the screen happened to show, without a time: the next poll records it with one. */
  isGlimpse: boolean
  /** Nothing of it was missing or too slow to be read. */
  isComplete: boolean
}

/** `activity`: without what they cost, and without their screens: enough to end a session or to restore it. */
export type Depth = 'activity' | 'all'

export async function observeSessions(
  context: ManagerContext,
  sessions: readonly ReachedSession[],
  depth: Depth = 'all',
): Promise<ObservedSession[]> {
  const budget = startTimeBudget(OBSERVE_TIMEOUT_MS)
  try {
    // The runtime answers while the agents' files are being read.
    const liveness = probeAll(sessions, budget)
    const events = await budget.within(hearSessions(context, sessions))
    const heard = events.kind === 'value' ? events.value : new Map<string, SessionReading | null>()
    const fleet = readPause(context.paths)
    const request = { context, heard, liveness, budget, depth, fleet }
    return await inTurns(sessions, AT_ONCE, (reached) => observe({ ...request, reached }))
  } finally {
    budget.end()
  }
}

/** More than wait for files at a time; with all ten thousand at once, what each is made of fills the memory before one is done. */
const AT_ONCE = 500

/** In their order, whichever is done first; one that waits holds up no other. */
async function inTurns<T, R>(items: readonly T[], count: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length)
  const waiting = items.entries()
  const take = async () => {
    for (const [index, item] of waiting) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, take))
  return results
}

/** By session id, of those whose runtime receives events. */
async function hearSessions(context: ManagerContext, sessions: readonly ReachedSession[]) {
  const speaking = sessions.filter(({ runtime }) => runtime?.events)
  return speaking.length === 0 ? new Map<string, SessionReading | null>() : readAgentEvents(context, speaking)
}

interface ObserveRequest {
  context: ManagerContext
  reached: ReachedSession
  /** From runtimes that receive events; nothing else is read for their sessions. */
  heard: Map<string, SessionReading | null>
  liveness: Promise<Map<string, Liveness>>
  budget: TimeBudget
  depth: Depth
  fleet: FleetPause | null
}

async function observe(request: ObserveRequest): Promise<ObservedSession> {
  const { context, reached } = request
  const { session } = reached
  const liveness = request.liveness.then((all) => all.get(handleKey(session.runtimeHandle)) ?? null)
  const heard = request.heard.get(session.id)
  const found = request.heard.has(session.id)
    ? {
        reading: heard?.activity ?? null,
        info: await heardInfo(request, heard?.info ?? null),
        isGlimpse: false,
        isComplete: Boolean(heard),
      }
    : heedingMessage(request, await readFromAgent(request, liveness))
  const life = await liveness
  // What it was last seen doing says nothing of an agent that nobody hears of.
  const read = { ...found, reading: unknownAgent(life) ? null : heedRecord(session, found.reading) }
  const paused = pausedAgent(session.id, recordOf(session), request.fleet)
  const facts = { ...factsOf(context, session, life, read.reading), isPaused: paused !== null }
  const isFleetPaused = isPaused(request.fleet)
  return { ...reached, facts, liveness: life, paused, isFleetPaused, ...read }
}

/** Only of what an agent's files and screen say: a runtime that hears it knows when it begins. */
function heedingMessage<F extends { reading: ActivityReading | null }>(
  { context, reached: { session } }: ObserveRequest,
  found: F,
): F {
  return { ...found, reading: heedMessage(session, found.reading, context.clock.now()) }
}

/** What the runtime heard, with the cost from the agent's records where the agent reports only part of it. */
async function heardInfo(
  { context, reached: { session, agent }, budget, depth }: ObserveRequest,
  info: Session['agentInfo'],
): Promise<Session['agentInfo']> {
  if (!info || !agent?.acpCostInRecords || depth === 'activity') return info
  const recorded = await budget.within(agent.getSessionInfo(session, readOptions(context, session)))
  const cost = recorded.kind === 'value' ? recorded.value?.cost : undefined
  return cost ? { ...info, cost } : info
}

async function readFromAgent(request: ObserveRequest, liveness: Promise<Liveness | null>) {
  const { context, reached, budget, depth } = request
  const { session, agent } = reached
  if (depth === 'activity') {
    const own = await budget.within(agent?.getActivityState(session, readOptions(context, session)) ?? noReading)
    return { reading: own.kind === 'value' ? own.value : null, info: null, isGlimpse: false, isComplete: false }
  }
  const read = await readAgent(request)
  const [native, info] = read ?? [null, null]
  const isComplete = read !== null && (agent !== null || recordOf(session).agent === undefined)
  const start = read && (await readFromStart(request, native, await liveness))
  if (start) return { reading: start, info, isGlimpse: false, isComplete }
  if (native && !native.watchScreen) return { reading: native, info, isGlimpse: false, isComplete }
  const shown = await readScreen(reached, await liveness, budget)
  // Where there are records, the screen shows only what they cannot: that it asks something.
  if (native && shown?.state !== 'waiting_input') return { reading: native, info, isGlimpse: false, isComplete }
  return { reading: shown, info, isGlimpse: agent?.recordActivity !== undefined, isComplete }
}

const noReading = Promise.resolve(null)

/** Only an agent that draws its input line late is not yet what its first records say. */
async function readFromStart(
  { context, reached: { session, agent, runtime }, budget }: ObserveRequest,
  native: ActivityReading | null,
  liveness: Liveness | null,
): Promise<ActivityReading | null> {
  if (!agent?.drawsInputLate || liveness?.state !== 'alive' || session.runtimeHandle === null || !runtime) return null
  const start = await budget.within(
    readStart(context, { session, agent, runtime }, { reading: native, options: readOptions(context, session) }),
  )
  return start.kind === 'value' ? start.value : null
}

export function factsOf(
  context: ManagerContext,
  session: Session,
  liveness: Liveness | null,
  reading: ActivityReading | null,
): StatusFacts {
  const record = recordOf(session)
  return {
    stored: session.status,
    operation: record.operation === undefined ? null : readOperation(record),
    runtime: runtimeFact(liveness),
    activity: reading ? { state: reading.state, at: reading.timestamp?.getTime() ?? null } : null,
    hasPr: session.pr !== null,
    isOrchestrator: isOrchestrator(session.id, record.role ?? ''),
    pr: decidingFacts(record),
    turnSince: recordedTurn(record),
    readyThresholdMs: context.config.readyThresholdMs,
    limitResetsAt: reading?.state === 'blocked' ? readLimitReset(reading, localZone) : null,
  }
}

/** Whether it is alive, without asking what its agent does. */
export async function probeSession(context: ManagerContext, session: Session): Promise<ObservedSession> {
  const [reached] = await reachSessions(context, [session])
  const liveness = (await probeAll([reached!])).get(handleKey(session.runtimeHandle)) ?? null
  const facts = factsOf(context, session, liveness, null)
  const unread = { reading: null, info: null, paused: null, isFleetPaused: false, isGlimpse: false, isComplete: false }
  return { ...reached!, facts, liveness, ...unread }
}

/** One query per runtime for all of its sessions, where the runtime supports it. */
export async function probeAll(
  sessions: readonly ReachedSession[],
  given?: TimeBudget,
): Promise<Map<string, Liveness>> {
  const budget = given ?? startTimeBudget(OBSERVE_TIMEOUT_MS)
  const answers = new Map<string, Liveness>()
  await Promise.all(
    [...Map.groupBy(sessions, ({ session }) => pluginsOf(session).runtime)].map(async ([runtimeName, group]) => {
      const runtime = group[0]?.runtime
      if (!runtime || runtimeName === undefined) return
      const handles = group.flatMap(({ session }) => session.runtimeHandle ?? [])
      for (const [id, answer] of await probe(runtime, handles, budget)) {
        answers.set(handleKey({ id, runtimeName }), answer)
      }
    }),
  )
  if (given === undefined) budget.end()
  return answers
}

async function probe(runtime: Runtime, handles: RuntimeHandle[], budget: TimeBudget): Promise<Map<string, Liveness>> {
  if (runtime.probe) {
    const answer = await budget.within(runtime.probe(handles))
    if (answer.kind === 'value') return answer.value
    return new Map(handles.map(({ id }) => [id, noAnswer(runtime.name, answer.why)]))
  }
  const answers = await Promise.all(
    handles.map(async (handle): Promise<[string, Liveness]> => {
      const answer = await budget.within(runtime.isAlive(handle))
      if (answer.kind !== 'value') return [handle.id, { state: 'unknown', why: answer.why }]
      return [handle.id, answer.value ? { state: 'alive' } : { state: 'dead', why: `${runtime.name} says so` }]
    }),
  )
  return new Map(answers)
}

/** What its agent was last seen doing says nothing about now. */
export function noAnswer(place: string, why: string): Liveness {
  return {
    state: 'unknown',
    why,
    agent: { place, why: `${place} does not answer: ${why}`, since: null, unreachable: false },
  }
}

async function readAgent({
  context,
  reached: { session, agent },
  budget,
}: ObserveRequest): Promise<[ActivityReading | null, Session['agentInfo']] | null> {
  if (!agent) return [null, null]
  const options = readOptions(context, session)
  const both = await budget.within(
    Promise.all([agent.getActivityState(session, options), agent.getSessionInfo(session, options)]),
  )
  if (both.kind === 'value') return both.value
  context.log.debug(`${session.id} was not enriched: ${both.why}`)
  return null
}

/** Last resort for agents without records of their own: what the screen shows. */
async function readScreen(
  { session, agent, runtime }: ReachedSession,
  liveness: Liveness | null,
  budget: TimeBudget,
): Promise<ActivityReading | null> {
  if (agent?.activitySource !== 'screen' || liveness?.state !== 'alive' || session.runtimeHandle === null) return null
  if (!runtime) return null
  const screen = await budget.within(runtime.getOutput(session.runtimeHandle, 40))
  const state = screen.kind === 'value' ? agent.detectActivity(screen.value) : null
  return state === null ? null : { state, evidence: 'the text on its screen' }
}

/** Set: what its agent was last seen doing no longer holds. */
export function unknownAgent(liveness: Liveness | null): UnknownAgent | undefined {
  return liveness?.state === 'unknown' ? liveness.agent : undefined
}

function runtimeFact(liveness: Liveness | null): StatusFacts['runtime'] {
  if (liveness === null) return null
  if (liveness.state === 'dead') return { state: 'dead', exitCode: liveness.exitCode ?? null }
  return { state: liveness.state }
}

export function handleKey(handle: RuntimeHandle | null): string {
  return handle === null ? '' : `${handle.runtimeName}:${handle.id}`
}

/** 13 ms at its first use: only for an agent that is blocked. */
function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

export function readOptions(context: ManagerContext, session: Pick<Session, 'id' | 'projectId'>): ReadOptions {
  return {
    readyThresholdMs: context.config.readyThresholdMs,
    now: context.clock.now(),
    stateDir: context.store(session.projectId).paths.stateDir(session.id),
  }
}
