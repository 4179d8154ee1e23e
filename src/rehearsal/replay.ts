// A recorded day, decided again: the observations of each round go through the real decisions with another configuration, or the same one.
// What an agent would have done after another message nobody knows: from the first one on, its session is left out.
import { mkdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { OrchestratorConfig, ProjectConfig } from '../contract/config.ts'
import type { ReactionMemory } from '../contract/reactions.ts'
import { recordOf } from '../contract/record.ts'
import { isTerminalSession, type SessionStatus } from '../contract/status.ts'
import { storedSession } from '../contract/stored-session.ts'
import type { CassetteLine, RecordedDecision, SessionFacts } from '../core/recording/cassette.ts'
import { silentLog } from '../lib/log.ts'
import { describe, settingsHash } from '../lifecycle/cassette/encode-rounds.ts'
import {
  type Acted,
  type ActRequest,
  createLoopState,
  type LoopContext,
  type Seen,
} from '../lifecycle/loop/loop-context.ts'
import { settleAll } from '../lifecycle/tick/tick.ts'
import type { ManagerContext } from '../manager/context.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import type { AoPaths } from '../store/paths.ts'
import { createDisk, createMemoryReactions, createMemoryStore, createProcess } from './memory-disk.ts'
import { collisionsOf, observationOf } from './recorded-facts.ts'

export interface ReplayOptions {
  config: OrchestratorConfig
  project: ProjectConfig
  /** Of an empty home. */
  paths: AoPaths
  lines: readonly CassetteLine[]
}

export interface Difference {
  session: string
  at: number
  /** null: it is about the status, or about a start. */
  recorded: RecordedDecision[] | null
  replayed: RecordedDecision[] | null
  what: string
  /** Its agent would have got something else, so that the rest of its day is unknown. */
  isUnknown: boolean
}

export interface DayCounts {
  messages: Record<string, number>
  notifications: Record<string, number>
  merges: number
  restarts: number
  starts: number
  paused: number
  costUsd: number
}

export interface Replay {
  project: string
  from: number
  to: number
  rounds: number
  sessions: number
  /** It was recorded with exactly these settings. */
  isSameSettings: boolean
  /** The zone of this machine is another one: days of budgets begin at another moment. */
  isOtherZone: boolean
  recorded: DayCounts
  /** Up to where each session is known. */
  replayed: DayCounts
  /** Of what was recorded, in those parts that are unknown now. */
  unknown: DayCounts
  /** The first of each session. */
  differences: Difference[]
  /** Issues that waited in the backlog and would have been started sooner: at most at one moment. */
  soonerStarts: number
}

type RoundLine = Extract<CassetteLine, { k: 'round' }>

export async function replay(options: ReplayOptions): Promise<Replay> {
  const { lines, project } = options
  const first = lines[0] as Extract<CassetteLine, { k: 'start' }>
  const day = createDay(options)
  const result: Replay = {
    project: first.project,
    from: first.t,
    to: lines.at(-1)!.t,
    rounds: lines.filter(({ k }) => k === 'round').length,
    sessions: 0,
    isSameSettings: lines.every((one) => one.k !== 'start' || one.settings === settingsHash(day.loop, project)),
    isOtherZone: first.zone !== -new Date(first.t).getTimezoneOffset(),
    recorded: noCounts(),
    replayed: noCounts(),
    unknown: noCounts(),
    differences: [],
    soonerStarts: 0,
  }
  for (const one of lines) await replayLine(day, one, result)
  result.sessions = day.appeared.size
  for (const [id, { first, last, followed }] of day.costs) {
    const whole = last - first
    result.recorded.costUsd += whole
    result.replayed.costUsd += day.unknown.has(id) ? followed - first : whole
    result.unknown.costUsd += day.unknown.has(id) ? last - followed : 0
  }
  return result
}

interface Day {
  options: ReplayOptions
  loop: LoopContext
  now: number
  disk: ReturnType<typeof createDisk>
  facts: Map<string, SessionFacts>
  statuses: Map<string, SessionStatus>
  observed: string[]
  /** Where the replay no longer follows. */
  unknown: Set<string>
  differs: Set<string>
  appeared: Set<string>
  costs: Map<string, { first: number; last: number; followed: number }>
  /** What was decided in the round that is being replayed. */
  recordedNow: NonNullable<RoundLine['d']>
  inFlight: Map<string, (outcomes: Outcomes) => void>
  early: Map<string, Outcomes>
  notices: { recorded: Set<string>; replayed: Set<string> }
  hasBegun: boolean
}

type Outcomes = ReadonlyMap<string, { succeeded: boolean; at: number }>

function createDay(options: ReplayOptions): Day {
  const { config, project, paths } = options
  const process = createProcess(() => false)
  const disk = createDisk()
  mkdirSync(paths.project(project.id).locks, { recursive: true })
  const clock = { now: () => new Date(day.now) }
  const owner = { projectId: project.id, disk, process, clock, paths: paths.project(project.id) }
  const store = createMemoryStore({ ...owner, interfere: () => undefined })
  const nothing = () => Promise.reject(new Error('nothing is carried out in a replay'))
  const context: ManagerContext = {
    config: { ...config, projects: { [project.id]: project } },
    registry: {} as PluginRegistry,
    paths,
    clock,
    log: silentLog,
    env: {},
    aoCommand: ['ao'],
    store: () => store,
    dashboardPort: () => undefined,
    observe: () => undefined,
  }
  const loop: LoopContext = {
    context,
    manager: {
      ...{ deliver: nothing, kill: nothing, spawn: nothing, startDue: nothing, startReview: nothing },
      ...{ startTriggered: nothing, startWaiting: nothing, switchAccount: nothing, restart: nothing },
      endSpending: nothing,
      pendingPermissions: async () => [],
      recover: async () => [],
      deliverHeld: async () => [],
      resumeAgent: async () => false,
    },
    notify: async () => undefined,
    say: () => undefined,
    health: () => undefined,
    ...createLoopState(context),
    reactions: createMemoryReactions({ disk, process }),
    seen: [],
    act: (_loop, request) => carryOut(day, request),
  }
  const day: Day = {
    ...{ options, loop, disk, now: 0, observed: [], recordedNow: {}, hasBegun: false },
    facts: new Map(),
    statuses: new Map(),
    unknown: new Set(),
    differs: new Set(),
    appeared: new Set(),
    costs: new Map(),
    inFlight: new Map(),
    early: new Map(),
    notices: { recorded: new Set(), replayed: new Set() },
  }
  return day
}

/** What was carried out on that day came out as it did then; the rest is taken to succeed at once. */
function carryOut(day: Day, { session, decisions, memory }: ActRequest): Promise<Acted[]> {
  const { now, early, inFlight } = day
  const finish = (outcomes: Outcomes): Acted[] =>
    decisions.flatMap(({ condition: { memory: key } }) => {
      const record = memory[key]
      const { succeeded, at } = outcomes.get(key) ?? { succeeded: true, at: now }
      return record ? [{ key, record, succeeded, at }] : []
    })
  const recorded = day.recordedNow[session.id] ?? []
  const isShared = decisions.some(({ condition }) => recorded.some(([key]) => key === condition.memory))
  if (!isShared) return Promise.resolve(finish(new Map()))
  const outcomes = early.get(session.id)
  if (outcomes) return Promise.resolve(finish(outcomes))
  return new Promise((resolve) => inFlight.set(session.id, (found) => resolve(finish(found))))
}

async function replayLine(day: Day, line: CassetteLine, result: Replay): Promise<void> {
  day.now = Math.max(day.now, line.t)
  switch (line.k) {
    case 'start':
      // Another process: what was under way is found again in what it recorded first.
      for (const map of [day.facts, day.loop.acting, day.loop.releasing, day.inFlight, day.early]) map.clear()
      day.loop.ledgers.clear()
      if (line.ledger) day.loop.ledgers.set(day.options.project.id, line.ledger)
      return
    case 'round':
      return replayRound(day, line, result)
    case 'acted': {
      const outcomes = new Map(line.o.map(([key, succeeded, at]) => [key, { succeeded, at }]))
      const resolve = day.inFlight.get(line.s)
      if (!resolve) return void day.early.set(line.s, outcomes)
      day.inFlight.delete(line.s)
      resolve(outcomes)
      await day.loop.acting.get(line.s)
      return
    }
    case 'notice':
      if (!isNew(day.notices.recorded, `${line.type} ${line.about}`)) return
      return add(result.recorded.notifications, line.type)
    case 'backlog': {
      const most = day.options.project.backlog?.maxSessions ?? 0
      const room = Math.max(0, most - runningIn(day).length)
      const sooner = Math.min(line.free, room) - Math.min(line.free, line.room)
      result.soonerStarts = Math.max(result.soonerStarts, sooner)
      return
    }
    case 'train':
      if (line.type === 'landed') for (const one of [result.recorded, result.replayed]) one.merges += 1
  }
}

async function replayRound(day: Day, line: RoundLine, result: Replay): Promise<void> {
  const { loop, unknown, disk } = day
  const { project } = day.options
  takeFacts(day, line, result)
  if (line.o) day.observed = line.only ? day.observed : line.o
  const ids = (line.only ? (line.o ?? []) : day.observed).filter(
    (id) => !unknown.has(id) && day.facts.has(id) && !line.f?.includes(id),
  )
  day.recordedNow = line.d ?? {}
  const collisions = collisionsOf(day.facts)
  if (collisions) loop.radar.set(project.id, collisions)
  else loop.radar.delete(project.id)
  const all = [...disk.records].map(([id, pairs]) => storedSession({ id, pairs }, project.id))
  const observations = ids.flatMap((id) => {
    const session = all.find((one) => one.id === id)
    const memory = loop.reactions.read(project.id, id)
    return session ? [observationOf(loop.context, session, day.facts.get(id)!, { memory, now: line.t })] : []
  })
  const seen: Seen[] = []
  loop.seen = seen
  const only = line.only && new Set(line.only)
  const settled = await settleAll(loop, project, { now: line.t, all, observations, options: { only } })
  await setImmediate()
  for (const [id, status] of Object.entries(line.st ?? {})) day.statuses.set(id, status)
  for (const { session, decisions } of settled) {
    const replayed = describe(decisions, { key: (key) => key })
    compare(day, result, { session: session.id, recorded: line.d?.[session.id] ?? [], replayed })
    const was = day.statuses.get(session.id)
    if (was !== undefined && was !== session.status && !unknown.has(session.id))
      differ(day, result, { session: session.id, what: `it is ${session.status}, and was ${was}` })
  }
  for (const [id, recorded] of Object.entries(line.d ?? {})) {
    count(result.recorded, recorded)
    if (!ids.includes(id)) count(result.unknown, recorded)
  }
  for (const one of seen)
    if (one.kind === 'notice' && isNew(day.notices.replayed, `${one.type} ${one.about}`))
      add(result.replayed.notifications, one.type)
  day.early.clear()
  day.hasBegun = true
}

/** What changed until then, except of those that are unknown by now. */
function takeFacts(day: Day, line: RoundLine, result: Replay): void {
  const { disk, facts, unknown } = day
  for (const [id, { record = {}, ...changed }] of Object.entries(line.s)) {
    const isFirst = !facts.has(id)
    const isStart = day.hasBegun && !day.appeared.has(id)
    if (isStart) noteStart(day, result, { session: id, isOfBacklog: typeof record.issue === 'string' })
    day.appeared.add(id)
    const before = facts.get(id)
    facts.set(id, { ...NO_FACTS, ...before, ...changed, record: {} } as SessionFacts)
    noteCost(day, id, changed.cost?.[4] ?? null)
    if (unknown.has(id)) continue
    const pairs: Record<string, string> = isFirst ? {} : { ...disk.records.get(id) }
    for (const [name, value] of Object.entries(record)) {
      if (value === null) delete pairs[name]
      else pairs[name] = value
    }
    disk.records.set(id, pairs)
    const memory: ReactionMemory | null | undefined = changed.memory
    if (memory) disk.memories.set(id, JSON.stringify(memory))
  }
  for (const id of line.gone ?? []) for (const map of [disk.records, facts, disk.memories]) map.delete(id)
}

/** One of which only the record is known yet. */
const NO_FACTS: Omit<SessionFacts, 'record'> = {
  ...{ live: null, reading: null, operation: null, limitResetsAt: null, cost: null, head: null, memory: null },
  ...{ isPaused: false, isFleetPaused: false, isGlimpse: false, isActing: false, promptSeen: false, expired: false },
  ...{ pulls: [], collisions: null, undecided: [] },
}

function noteCost(day: Day, id: string, usd: number | null): void {
  if (usd === null) return
  const before = day.costs.get(id) ?? { first: day.hasBegun ? 0 : usd, last: usd, followed: usd }
  const last = Math.max(before.last, usd)
  day.costs.set(id, { ...before, last, followed: day.unknown.has(id) ? before.followed : last })
}

/** A smaller backlog would have let it wait: what it did is unknown from its start on. */
function noteStart(
  day: Day,
  result: Replay,
  { session, isOfBacklog }: { session: string; isOfBacklog: boolean },
): void {
  result.recorded.starts += 1
  const { backlog } = day.options.project
  const running = runningIn(day).length
  if (!isOfBacklog || !backlog || running < backlog.maxSessions) {
    result.replayed.starts += 1
    return
  }
  result.unknown.starts += 1
  const what = `it would have waited: ${running} sessions were running, and backlog.maxSessions is ${backlog.maxSessions}`
  differ(day, result, { session, what, isUnknown: true })
}

function runningIn({ disk, options: { project }, unknown }: Day): string[] {
  return [...disk.records].flatMap(([id, pairs]) => {
    const session = storedSession({ id, pairs }, project.id)
    const isOver = isTerminalSession({ status: session.status, activity: null })
    return isOver || unknown.has(id) || recordOf(session).role === 'orchestrator' ? [] : [id]
  })
}

/** What an agent or the forge notices; the rest is for people. */
const REACHES = new Set(['send-to-agent', 'restart-agent', 'auto-merge', 'pause', 'stop', 'switch-account', 'review'])

function compare(
  day: Day,
  result: Replay,
  { session, recorded, replayed }: { session: string; recorded: RecordedDecision[]; replayed: RecordedDecision[] },
): void {
  const reaching = (all: RecordedDecision[]) =>
    JSON.stringify(all.flatMap(([key, action]) => (REACHES.has(action) ? [`${key} ${action}`] : [])).sort())
  const isUnknown = reaching(recorded) !== reaching(replayed)
  count(result.replayed, replayed)
  if (JSON.stringify(recorded) === JSON.stringify(replayed)) return
  differ(day, result, { session, recorded, replayed, isUnknown, what: describeChange(recorded, replayed) })
}

function differ(day: Day, result: Replay, one: Pick<Difference, 'session' | 'what'> & Partial<Difference>): void {
  const { session, isUnknown = false } = one
  const isFirst = isNew(day.differs, session)
  if (isUnknown) day.unknown.add(session)
  const before = result.differences.find((other) => other.session === session)
  if (before && isUnknown && !before.isUnknown)
    Object.assign(before, { isUnknown, what: `${before.what}; later ${one.what}` })
  if (isFirst) result.differences.push({ at: day.now, recorded: null, replayed: null, isUnknown, ...one })
}

function describeChange(recorded: RecordedDecision[], replayed: RecordedDecision[]): string {
  const list = (all: RecordedDecision[]) =>
    all
      .map(([key, action, attempt]) => `${key.split(' ')[0]} → ${action}${attempt > 1 ? ` (${attempt})` : ''}`)
      .join(', ')
  return `${list(replayed) || 'nothing'}, and was ${list(recorded) || 'nothing'}`
}

function count(counts: DayCounts, decisions: readonly RecordedDecision[]): void {
  for (const [memoryKey, action] of decisions) {
    const key = memoryKey.split(' ')[0]!
    if (action === 'send-to-agent') add(counts.messages, key)
    if (['notify', 'escalate', 'pause', 'stop', 'switch-account'].includes(action)) add(counts.notifications, key)
    if (action === 'auto-merge') counts.merges += 1
    if (action === 'restart-agent' || action === 'switch-account') counts.restarts += 1
    if (action === 'pause' || action === 'stop') counts.paused += 1
  }
}

function noCounts(): DayCounts {
  return { messages: {}, notifications: {}, merges: 0, restarts: 0, starts: 0, paused: 0, costUsd: 0 }
}

function add(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1
}

function isNew(set: Set<string>, key: string): boolean {
  if (set.has(key)) return false
  set.add(key)
  return true
}
