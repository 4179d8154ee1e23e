// One session on its machine: the agent, its host, and the disk between them. The host's decisions are those of
// core/place/line; what surrounds them is as thin as the real host.
import { after, lastNumber, logLine, readLog } from '../../../src/core/place/line/far-log.ts'
import { abandonedAsks, type WaitingAsk } from '../../../src/core/place/line/waiting-asks.ts'
import { createInbox, type Inbox } from '../../../src/host/inbox.ts'
import { type Connection, count, disturb, type Machine, type Resident, resetConnections, type World } from './world.ts'

export interface SimFact {
  n: number
  type: 'launched' | 'exit' | 'ask'
  id?: string
  exitCode?: number | null
  why?: string
}

export interface SimAsk extends WaitingAsk {
  begunAt: number
  outcome: 'waiting' | 'answered' | 'cut off'
  executed: number
}

export interface Follower {
  connection: Connection
  fact(fact: SimFact): void
  reading(state: string, at: number): void
  head(): void
  trouble(): void
}

interface Host {
  facts: SimFact[]
  last: number
  inbox: Inbox<boolean>
  waiting: Map<string, SimAsk>
  followers: Set<Follower>
}

/** What is true, whoever knows it. */
export interface Truth {
  isAlive: boolean
  endedAt: number | null
  isWorking: boolean
  activityAt: number
  /** How much work there is. */
  version: number
  pasted: Map<string, number>
  asks: SimAsk[]
}

export interface FarSession extends Resident {
  machine: Machine
  truth: Truth
  hasHost(): boolean
  /** 'full': it cannot even write its log. */
  startHost(): 'ok' | 'full'
  /** As its host knows it. */
  agentState(): 'running' | 'ended' | 'orphaned'
  follow(follower: Follower, read: number): void
  unfollow(follower: Follower): void
  paste(id: string): 'ok' | 'no terminal'
  takeAsk(id: string): SimAsk | null
  /** null: the disk there is full. */
  captureWork(): number | null
  lastFact(): number
  /** An hour of an agent: turns, commits, commands, an end. */
  live(onTurnEnd: (version: number) => void): void
  leave(): void
}

const AGENT_STARTS_MS = 2_000

export function createFarSession(
  world: World,
  machine: Machine,
  name: string,
  { version, remembered }: { version: number; remembered?: number | undefined },
): FarSession {
  const { agenda, random } = world
  let file = ''
  let host: Host | null = null
  /** The agent outlives its host for a while. */
  let hasLeft = false
  /** It has ended, and that cannot be written down. */
  let isInTrouble = false
  const truth: Truth = {
    isAlive: true,
    endedAt: null,
    isWorking: false,
    activityAt: agenda.now(),
    version,
    pasted: new Map(),
    asks: [],
  }

  function add(body: Omit<SimFact, 'n'>): SimFact | null {
    if (host === null) return null
    host.last += 1
    const fact: SimFact = { n: host.last, ...body }
    const line = logLine(fact)
    if (machine.isFull) {
      // Nothing, a part, or all of it, and an error in each case.
      const written = random.pick([0, random.below(line.length), line.length])
      file += line.slice(0, written)
      return null
    }
    file += line
    host.facts.push(fact)
    for (const follower of host.followers) follower.connection.send(() => follower.fact(fact))
    return fact
  }

  function recordEnd(body: Omit<SimFact, 'n' | 'type'>): void {
    const of = host
    if (of === null || hasLeft || of.facts.some(({ type }) => type === 'exit')) return
    if (add({ type: 'exit', ...body }) !== null) return
    isInTrouble = true
    for (const one of of.followers) one.connection.send(() => one.trouble())
    agenda.after(1_000, () => of === host && recordEnd(body))
  }

  function end(exitCode: number): void {
    if (!truth.isAlive) return
    truth.isAlive = false
    truth.endedAt = agenda.now()
    truth.isWorking = false
    count(world, 'agents ended')
    recordEnd({ exitCode })
  }

  function dropHost(): void {
    if (host === null) return
    for (const ask of host.waiting.values()) if (ask.outcome === 'waiting') ask.outcome = 'cut off'
    const { followers } = host
    host = null
    resetConnections(machine, (connection) => [...followers].some((one) => one.connection === connection))
  }

  function settleEarlier(): void {
    const of = host
    if (of === null || of.facts.some(({ type }) => type === 'exit')) return
    if (truth.isAlive) agenda.after(500, () => of === host && settleEarlier())
    else recordEnd({ exitCode: null, why: 'its host was killed' })
  }

  function reportActivity(): void {
    const at = agenda.now() + machine.skew
    const state = truth.isWorking ? 'active' : 'ready'
    for (const one of host?.followers ?? []) one.connection.send(() => one.reading(state, at))
  }

  const session: FarSession = {
    machine,
    truth,
    hasHost: () => host !== null,
    agentState() {
      if (host?.facts.some(({ type }) => type === 'exit')) return 'ended'
      return isOrphan ? 'orphaned' : 'running'
    },
    startHost() {
      if (machine.isFull) return 'full'
      if (host !== null) return 'ok'
      const facts = readLog<SimFact>(file)
      host = {
        facts,
        last: lastNumber(facts),
        inbox: createInbox(remembered),
        waiting: new Map(),
        followers: new Set(),
      }
      if (facts.length === 0) add({ type: 'launched' })
      else settleEarlier()
      return 'ok'
    },
    follow(follower, read) {
      if (host === null) return
      for (const ask of abandonedAsks(host.waiting.values(), read)) {
        ask.outcome = 'cut off'
        host.waiting.delete(ask.id)
      }
      for (const fact of after(host.facts, read)) follower.connection.send(() => follower.fact(fact))
      host.followers.add(follower)
      if (isInTrouble) follower.connection.send(() => follower.trouble())
      reportActivity()
    },
    unfollow: (follower) => void host?.followers.delete(follower),
    paste(id) {
      if (host === null || isOrphan || !truth.isAlive) return 'no terminal'
      host.inbox.take(id, () => {
        truth.pasted.set(id, (truth.pasted.get(id) ?? 0) + 1)
        return true
      })
      return 'ok'
    },
    takeAsk(id) {
      const ask = host?.waiting.get(id)
      if (!ask || ask.isTaken) return null
      ask.isTaken = true
      return ask
    },
    captureWork: () => (machine.isFull || host === null ? null : truth.version),
    lastFact: () => lastNumber(host?.facts ?? []),
    onPowerLoss() {
      if (truth.isAlive) {
        truth.isAlive = false
        truth.endedAt = agenda.now()
      }
      dropHost()
    },
    onHostKilled() {
      if (host === null || hasLeft) return
      count(world, 'hosts killed')
      disturb(world, machine)
      isOrphan = true
      dropHost()
      // Without its terminal it ends sooner or later.
      agenda.after(random.below(60_000), () => end(1))
    },
    live(onTurnEnd) {
      const ask = () => {
        const id = `${name}-${truth.asks.length}`
        const waiting: SimAsk = {
          id,
          n: Number.POSITIVE_INFINITY,
          isTaken: false,
          begunAt: agenda.now(),
          outcome: 'waiting',
          executed: 0,
        }
        if (host === null) return
        host.waiting.set(id, waiting)
        const fact = add({ type: 'ask', id })
        if (fact === null) return void host.waiting.delete(id)
        truth.asks.push(waiting)
        count(world, 'commands of agents')
        waiting.n = fact.n
      }
      const work = () => {
        if (!truth.isAlive || !truth.isWorking) return
        truth.version += 1
        if (random.chance(0.02)) return end(1)
        if (random.chance(0.25)) for (const one of host?.followers ?? []) one.connection.send(() => one.head())
        if (random.chance(0.3)) ask()
        agenda.after(5_000 + random.below(40_000), work)
      }
      const turn = () => {
        if (!truth.isAlive || hasLeft) return
        truth.isWorking = true
        truth.activityAt = agenda.now()
        reportActivity()
        count(world, 'turns')
        agenda.after(random.below(10_000), work)
        agenda.after(20_000 + random.below(240_000), () => {
          if (!truth.isAlive) return
          truth.isWorking = false
          truth.activityAt = agenda.now()
          reportActivity()
          onTurnEnd(truth.version)
          if (random.chance(0.1)) end(random.pick([0, 1]))
          else agenda.after(random.below(300_000), turn)
        })
      }
      agenda.after(AGENT_STARTS_MS + random.below(60_000), turn)
    },
    leave() {
      hasLeft = true
      machine.residents.delete(session)
    },
  }
  let isOrphan = false
  machine.residents.add(session)
  return session
}
