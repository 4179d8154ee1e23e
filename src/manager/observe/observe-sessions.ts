// What can be observed of sessions right now: whether they are alive, what their agents are doing, what they cost. Decides
// nothing.

import { errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { RuntimeHandle, Session, UnknownAgent } from '../../contract/session.ts'
import { isSameAccount, presentAccount } from '../../core/budget/choose-fallback.ts'
import { readLimitReset } from '../../core/budget/limit-reset.ts'
import { isOrchestrator } from '../../core/session/plan-cleanup.ts'
import type { StatusFacts } from '../../core/status/derive-status.ts'
import { recordedPrFacts, recordedTurn } from '../../core/status/recorded-facts.ts'
import type { ActivityReading, Agent } from '../../slots/agent.ts'
import type { SlotMap } from '../../slots/plugin.ts'
import type { Liveness, Runtime } from '../../slots/runtime.ts'
import type { SessionReading } from '../../slots/session-events.ts'
import { readOptions, whereItRuns } from '../active.ts'
import type { ManagerContext } from '../context.ts'
import { readOperation } from '../operation.ts'
import { readAgentEvents } from './read-events.ts'
import { readStart } from './read-start.ts'

/** A probe or a plugin that takes longer is not waited for; the session keeps what its record says. */
const ENRICH_TIMEOUT_MS = 2_000

export interface ObservedSession {
  /** As it is stored. */
  session: Session
  facts: StatusFacts
  liveness: Liveness | null
  reading: ActivityReading | null
  info: Session['agentInfo']
  /** The reading is what the screen happened to show, without a time: the next poll records it with one. */
  isGlimpse: boolean
  /** Nothing of it was missing or too slow to be read. */
  isComplete: boolean
}

/** `activity`: without what they cost, and without their screens: enough to end a session or to restore it. */
export type Depth = 'activity' | 'all'

export async function observeSessions(
  context: ManagerContext,
  sessions: Session[],
  depth: Depth = 'all',
): Promise<ObservedSession[]> {
  const budget = startBudget()
  try {
    // The runtime answers while the agents' files are being read.
    const liveness = probeAll(context, sessions, budget)
    const events = await budget.within(readAgentEvents(context, sessions, (name) => findRuntime(context, name)))
    const heard = events.kind === 'value' ? events.value : new Map<string, SessionReading | null>()
    const agents = await agentsOf(context, sessions)
    return await Promise.all(
      sessions.map((session) => observe({ context, session, agents, heard, liveness, budget, depth })),
    )
  } finally {
    budget.end()
  }
}

interface ObserveRequest {
  context: ManagerContext
  session: Session
  agents: Map<string, Agent>
  /** From runtimes that receive events; nothing else is read for their sessions. */
  heard: Map<string, SessionReading | null>
  liveness: Promise<Map<string, Liveness>>
  budget: ProbeBudget
  depth: Depth
}

async function observe(request: ObserveRequest): Promise<ObservedSession> {
  const { context, session } = request
  const liveness = request.liveness.then((all) => all.get(handleKey(session.runtimeHandle)) ?? null)
  const heard = request.heard.get(session.id)
  const found = request.heard.has(session.id)
    ? {
        reading: heard?.activity ?? null,
        info: await heardInfo(request, heard?.info ?? null),
        isGlimpse: false,
        isComplete: Boolean(heard),
      }
    : await readFromAgent(request, liveness)
  const life = await liveness
  // What it was last seen doing says nothing of an agent that nobody hears of.
  const read = { ...found, reading: unknownAgent(life) ? null : parked(session, finished(session, found.reading)) }
  return { session, facts: factsOf(context, session, life, read.reading), liveness: life, ...read }
}

/** What the runtime heard, with the cost from the agent's records where the agent reports only part of it. */
async function heardInfo(
  { context, session, agents, budget, depth }: ObserveRequest,
  info: Session['agentInfo'],
): Promise<Session['agentInfo']> {
  const agent = agents.get(recordOf(session).agent ?? '')
  if (!info || !agent?.acpCostInRecords || depth === 'activity') return info
  const recorded = await budget.within(agent.getSessionInfo(session, readOptions(context, session)))
  const cost = recorded.kind === 'value' ? recorded.value?.cost : undefined
  return cost ? { ...info, cost } : info
}

/** A turn that ended well without a pull request waits for a person, who may take their time: its agent is not stuck. */
function finished(session: Session, reading: ActivityReading | null): ActivityReading | null {
  if (!reading?.turnEnded || reading.state !== 'idle' || session.pr !== null) return reading
  return { ...reading, state: 'ready' }
}

/** Restored as it was while its account is limited: it waits, until it is asked to continue. */
function parked(session: Session, reading: ActivityReading | null): ActivityReading | null {
  const record = recordOf(session)
  const present = record.limits && presentAccount(record)
  const limit = present && record.limits?.find((one) => one.why === undefined && isSameAccount(one, present))
  if (!limit || record.restoredAt === undefined || Date.parse(limit.until) <= record.restoredAt.getTime())
    return reading
  if (reading && reading.state !== 'ready' && reading.state !== 'idle') return reading
  if (record.lastMessageAt && record.lastMessageAt > record.restoredAt) return reading
  return { state: 'blocked', timestamp: record.restoredAt, evidence: `limit reached, resets at ${limit.until}` }
}

async function readFromAgent(request: ObserveRequest, liveness: Promise<Liveness | null>) {
  const { context, session, budget, depth } = request
  const chosen = request.agents.get(recordOf(session).agent ?? '') ?? null
  const agent = chosen && (await whereItRuns(context.registry, session, chosen).catch(() => chosen))
  if (depth === 'activity') {
    const own = await budget.within(agent?.getActivityState(session, readOptions(context, session)) ?? noReading)
    return { reading: own.kind === 'value' ? own.value : null, info: null, isGlimpse: false, isComplete: false }
  }
  const read = await readAgent(context, agent, session, budget)
  const [native, info] = read ?? [null, null]
  const isComplete = read !== null && (agent !== null || recordOf(session).agent === undefined)
  const start = read && (await readFromStart(request, agent, native, await liveness))
  if (start) return { reading: start, info, isGlimpse: false, isComplete }
  if (native && !native.watchScreen) return { reading: native, info, isGlimpse: false, isComplete }
  const shown = await readScreen(context, agent, session, await liveness, budget)
  // Where there are records, the screen shows only what they cannot: that it asks something.
  if (native && shown?.state !== 'waiting_input') return { reading: native, info, isGlimpse: false, isComplete }
  return { reading: shown, info, isGlimpse: agent?.recordActivity !== undefined, isComplete }
}

const noReading = Promise.resolve(null)

async function readFromStart(
  { context, session, budget }: ObserveRequest,
  agent: Agent | null,
  native: ActivityReading | null,
  liveness: Liveness | null,
): Promise<ActivityReading | null> {
  if (!agent || liveness?.state !== 'alive' || session.runtimeHandle === null) return null
  const runtime = await findRuntime(context, session.runtimeHandle.runtimeName)
  if (!runtime) return null
  const start = await budget.within(readStart(context, { session, agent, runtime }, native))
  return start.kind === 'value' ? start.value : null
}

function factsOf(
  context: ManagerContext,
  session: Session,
  liveness: Liveness | null,
  reading: ActivityReading | null,
): StatusFacts {
  const record = recordOf(session)
  return {
    stored: session.status,
    operation: readOperation(record),
    runtime: runtimeFact(liveness),
    activity: reading ? { state: reading.state, at: reading.timestamp?.getTime() ?? null } : null,
    hasPr: session.pr !== null,
    isOrchestrator: isOrchestrator(session.id, record.role ?? ''),
    pr: recordedPrFacts(record),
    turnSince: recordedTurn(record),
    readyThresholdMs: context.config.readyThresholdMs,
    limitResetsAt: readLimitReset(reading, localZone),
  }
}

/** Whether it is alive, without asking what its agent does. */
export async function probeSession(context: ManagerContext, session: Session): Promise<ObservedSession> {
  const liveness = (await probeAll(context, [session])).get(handleKey(session.runtimeHandle)) ?? null
  const facts = factsOf(context, session, liveness, null)
  return { session, facts, liveness, reading: null, info: null, isGlimpse: false, isComplete: false }
}

/** One query per runtime for all of its sessions, where the runtime supports it. */
export async function probeAll(
  context: ManagerContext,
  sessions: Session[],
  given?: ProbeBudget,
): Promise<Map<string, Liveness>> {
  const budget = given ?? startBudget()
  const handles = sessions.flatMap(({ runtimeHandle }) => runtimeHandle ?? [])
  const byRuntime = Map.groupBy(handles, ({ runtimeName }) => runtimeName)
  const answers = new Map<string, Liveness>()
  await Promise.all(
    [...byRuntime].map(async ([name, group]) => {
      const runtime = await findRuntime(context, name)
      if (!runtime) return
      for (const [id, answer] of await probe(runtime, group, budget)) {
        answers.set(handleKey({ id, runtimeName: name }), answer)
      }
    }),
  )
  if (given === undefined) budget.end()
  return answers
}

async function probe(runtime: Runtime, handles: RuntimeHandle[], budget: ProbeBudget): Promise<Map<string, Liveness>> {
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
function noAnswer(place: string, why: string): Liveness {
  return {
    state: 'unknown',
    why,
    agent: { place, why: `${place} does not answer: ${why}`, since: null, unreachable: false },
  }
}

async function readAgent(
  context: ManagerContext,
  agent: Agent | null,
  session: Session,
  budget: ProbeBudget,
): Promise<[ActivityReading | null, Session['agentInfo']] | null> {
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
  context: ManagerContext,
  agent: Agent | null,
  session: Session,
  liveness: Liveness | null,
  budget: ProbeBudget,
): Promise<ActivityReading | null> {
  if (agent?.activitySource !== 'screen' || liveness?.state !== 'alive' || session.runtimeHandle === null) return null
  const runtime = await findRuntime(context, session.runtimeHandle.runtimeName)
  if (!runtime) return null
  const screen = await budget.within(runtime.getOutput(session.runtimeHandle, 40))
  const state = screen.kind === 'value' ? agent.detectActivity(screen.value) : null
  return state === null ? null : { state, evidence: 'the text on its screen' }
}

async function agentsOf(context: ManagerContext, sessions: Session[]): Promise<Map<string, Agent>> {
  const agents = new Map<string, Agent>()
  for (const name of new Set(sessions.map((session) => recordOf(session).agent))) {
    if (name === undefined) continue
    const agent = await findQuietly(context, 'agent', name)
    if (agent) agents.set(name, agent)
  }
  return agents
}

export function findRuntime(context: ManagerContext, name: string): Promise<Runtime | null> {
  return findQuietly(context, 'runtime', name)
}

/** A plugin that cannot be loaded must not hide the sessions that use it. */
async function findQuietly<S extends 'agent' | 'runtime'>(
  context: ManagerContext,
  slot: S,
  name: string,
): Promise<SlotMap[S] | null> {
  try {
    return await context.registry.find(slot, name)
  } catch (error) {
    context.log.warn(`${slot} plugin ${name}: ${errorText(error)}`)
    return null
  }
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

type Timed<T> = { kind: 'value'; value: T } | { kind: 'failed'; why: string }

/** One timer for all sessions observed together: hundreds of timers would cost more than the observation. */
interface ProbeBudget {
  within<T>(work: Promise<T>): Promise<Timed<T>>
  end(): void
}

function startBudget(): ProbeBudget {
  let giveUp: (late: { kind: 'failed'; why: string }) => void = () => undefined
  const late = new Promise<{ kind: 'failed'; why: string }>((resolve) => {
    giveUp = resolve
  })
  const timer = setTimeout(
    () => giveUp({ kind: 'failed', why: `no answer within ${ENRICH_TIMEOUT_MS} ms` }),
    ENRICH_TIMEOUT_MS,
  )
  return {
    within<T>(work: Promise<T>) {
      const done = work.then(
        (value): Timed<T> => ({ kind: 'value', value }),
        (error): Timed<T> => ({ kind: 'failed', why: errorText(error) }),
      )
      return Promise.race<Timed<T>>([done, late])
    },
    end: () => clearTimeout(timer),
  }
}

/** 13 ms at its first use: only for an agent that is blocked. */
function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}
