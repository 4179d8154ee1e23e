// A recorded day, decided again: the observations of each round go through the real decisions with another configuration, or the same one.
// An agent might have done anything after another message: from the first one on, its session is left out.
import { setImmediate } from 'node:timers/promises'
import type { OrchestratorConfig, ProjectConfig } from '../contract/config.ts'
import type { SessionStatus } from '../contract/status.ts'
import { storedSession } from '../contract/stored-session.ts'
import type { CassetteLine } from '../core/recording/cassette.ts'
import { describe, settingsHash } from '../lifecycle/cassette/encode-rounds.ts'
import type { Acted, ActRequest, LoopContext, Seen } from '../lifecycle/loop/loop-context.ts'
import { settleAll } from '../lifecycle/tick/tick.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import type { AoPaths } from '../store/paths.ts'
import { add, compare, count, differ, isNew, noCounts, type Replay } from './compare-decisions.ts'
import { type RecordedDay, type RoundLine, runningIn, takeFacts } from './feed-facts.ts'
import { createDisk, createProcess } from './memory-disk.ts'
import { createMemoryLoop } from './memory-loop.ts'
import { collisionsOf, observationOf } from './recorded-facts.ts'

export interface ReplayOptions {
  config: OrchestratorConfig
  project: ProjectConfig
  /** Of an empty home. */
  paths: AoPaths
  lines: readonly CassetteLine[]
}

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

interface Day extends RecordedDay {
  loop: LoopContext
  statuses: Map<string, SessionStatus>
  observed: string[]
  /** What was decided in the round that is being replayed. */
  recordedNow: NonNullable<RoundLine['d']>
  inFlight: Map<string, (outcomes: Outcomes) => void>
  early: Map<string, Outcomes>
  notices: { recorded: Set<string>; replayed: Set<string> }
}

type Outcomes = ReadonlyMap<string, { succeeded: boolean; at: number }>

function createDay(options: ReplayOptions): Day {
  const { config, project, paths } = options
  const process = createProcess(() => false)
  const disk = createDisk()
  const nothing = () => Promise.reject(new Error('nothing is carried out in a replay'))
  const registry = {} as PluginRegistry
  const now = () => day.now
  const loop = createMemoryLoop({ config, project, paths, disk, process, registry, now }, () => ({
    manager: {
      ...{ deliver: nothing, react: nothing, kill: nothing, spawn: nothing, startDue: nothing, startReview: nothing },
      ...{ startTriggered: nothing, startWaiting: nothing, switchAccount: nothing, restart: nothing },
      endSpending: nothing,
      pendingPermissions: async () => [],
      recover: async () => [],
      deliverHeld: async () => [],
      resumeAgent: async () => false,
    },
    notify: async () => undefined,
    seen: [],
    act: (_loop, request) => carryOut(day, request),
  }))
  const day: Day = {
    ...{ project, loop, disk, now: 0, observed: [], recordedNow: {}, hasBegun: false },
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
      if (line.ledger) day.loop.ledgers.set(day.project.id, line.ledger)
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
      const most = day.project.backlog?.maxSessions ?? 0
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
  const { loop, unknown, disk, project } = day
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
