// Many sessions on many machines, with everything that goes wrong, in virtual time. What must never happen is counted: work,
// facts and messages that are lost, commands and messages that are carried out twice, and a status that is not true.

import type { LineVerdict } from '../../../src/core/place/line/judge-line.ts'
import { createRandom } from '../../../src/rehearsal/random.ts'
import { createAgenda } from './agenda.ts'
import { createFarSession, type FarSession } from './far-session.ts'
import { createHomeSession, type Decide, type HomeSession } from './home-session.ts'
import {
  count,
  createMachine,
  cutNetwork,
  fillDisk,
  isReachable,
  losePower,
  type Machine,
  SETTLE_MS,
  type World,
} from './world.ts'

export interface Scenario {
  seed: number
  sessions: number
  machines: number
  minutes: number
  decide?: Decide
  /** How many answers a host remembers; absent: as many as a real one. */
  remembered?: number
}

export interface Outcome {
  lost: string[]
  doubled: string[]
  falseStatus: string[]
  counts: Record<string, number>
  /** The most attempts to connect in one second. */
  busiestSecond: number
}

interface Session {
  name: string
  life: number
  far: FarSession
  home: HomeSession
  messages: Map<string, 'open' | 'done' | false | null>
  isOver: boolean
}

const MINUTE = 60_000
/** After the last ping that was answered. */
const LOSS_NOTICED_MS = 25_000
/** With its last work at home, on a slow line behind another save. */
const END_NOTICED_MS = 75_000
/** After the last fault: long enough for everything to settle. */
const QUIET_MS = 10 * MINUTE

export function simulate({ seed, sessions: total, machines, minutes, decide, remembered }: Scenario): Outcome {
  const random = createRandom(seed)
  const agenda = createAgenda()
  const world: World = {
    agenda,
    random,
    machines: Array.from({ length: machines }, (_, id) => createMachine(random, id)),
    home: { isFull: false, disturbedUntil: 0 },
    counts: {},
    broken: [],
  }
  const outcome: Outcome = { lost: [], doubled: [], falseStatus: [], counts: world.counts, busiestSecond: 0 }
  const end = minutes * MINUTE

  function begin(session: Session, version: number, not: Machine | null): void {
    const machine = chooseMachine(world, not)
    session.life += 1
    session.far = createFarSession(world, machine, `${session.name}.${session.life}`, { version, remembered })
    session.far.startHost()
    session.home = createHomeSession(world, session.far, version, decide)
    session.home.disturbedUntil = agenda.now() + SETTLE_MS
    session.messages = new Map()
    session.home.ensureLine()
    const { far, home } = session
    far.live((saved) => expectHome(session, home, far, saved))
  }

  const isCalm = ({ home, far }: Session, since: number) =>
    Math.max(home.disturbedUntil, far.machine.disturbedUntil, world.home.disturbedUntil) < since

  /** At the end of a turn its work comes home. */
  function expectHome(session: Session, home: HomeSession, far: FarSession, version: number): void {
    const at = agenda.now()
    agenda.after(SETTLE_MS, () => {
      if (session.home !== home || !isCalm(session, at) || far.machine.state !== 'up') return
      count(world, 'turns checked')
      if (home.files.work < version) outcome.lost.push(`${session.name}: work ${version}, home has ${home.files.work}`)
    })
  }

  function check(session: Session): void {
    const { home, far, name } = session
    const now = agenda.now()
    const { isAlive } = far.truth
    count(world, 'status checked')
    checkClaim(session, home.judge())
    home.ensureLine()
    const verdict = home.judge()
    checkClaim(session, verdict)
    if (verdict.state === 'unknown' && isAlive && isCalm(session, now) && far.machine.state === 'up')
      outcome.falseStatus.push(`${name} is called unknown without a reason: ${verdict.why}`)
    checkActivity(session)
    if (home.files.end !== null) restore(session)
    else if (
      verdict.state === 'unknown' &&
      far.machine.state === 'lost' &&
      !far.machine.canProveGone &&
      random.chance(0.2)
    )
      restore(session)
  }

  /** Alive and dead have to be true; alive for as long as it takes to notice the contrary. */
  function checkClaim({ name, far }: Session, verdict: LineVerdict): void {
    const { isAlive, endedAt } = far.truth
    const { unreachableSince } = far.machine
    const ago = (time: number | null) => (time === null ? 0 : agenda.now() - time)
    if (verdict.state === 'dead' && isAlive) outcome.falseStatus.push(`${name} is called dead: ${verdict.why}`)
    if (verdict.state !== 'alive') return
    if (ago(endedAt) > END_NOTICED_MS)
      outcome.falseStatus.push(`${name} is called alive ${ago(endedAt)} ms after its end`)
    if (ago(unreachableSince) > LOSS_NOTICED_MS)
      outcome.falseStatus.push(`${name} is called alive, unreachable for ${ago(unreachableSince)} ms`)
  }

  /** The time of its last change, by home's clock. */
  function checkActivity(session: Session): void {
    const { home, far } = session
    const timestamp = home.files.memory?.reading?.activity?.timestamp
    if (timestamp === undefined || !isCalm(session, far.truth.activityAt) || !far.truth.isAlive) return
    const wrongBy = Math.abs(Date.parse(timestamp) - far.truth.activityAt)
    const isFresh = agenda.now() - far.truth.activityAt > SETTLE_MS
    const output = home.files.memory?.reading?.activity?.state
    if (isFresh && output !== (far.truth.isWorking ? 'active' : 'ready'))
      outcome.falseStatus.push(`${session.name} is called ${output}`)
    // A line that was opened again reads the same state anew.
    if (isFresh && wrongBy > 1_000 && home.files.memory!.since < far.truth.activityAt)
      outcome.falseStatus.push(`${session.name}: the time of its last change is wrong by ${wrongBy} ms`)
  }

  /** The session continues elsewhere, with what home has. */
  function restore(session: Session): void {
    settle(session)
    const { far, home } = session
    const ended = home.files.end
    const lostWithMachine = ended?.n == null
    if (!lostWithMachine && home.files.work !== far.truth.version)
      outcome.lost.push(`${session.name} ended with work ${far.truth.version}, home has ${home.files.work}`)
    count(world, lostWithMachine ? 'restored after a lost machine' : 'restored after an end')
    if (lostWithMachine && home.files.work < far.truth.version) count(world, 'turns cut by a lost machine')
    home.kill()
    far.leave()
    if (agenda.now() < end) begin(session, home.files.work, far.machine)
    else session.isOver = true
  }

  function settle({ far, messages, name }: Session): void {
    for (const [id, result] of messages) {
      const times = far.truth.pasted.get(id) ?? 0
      if (times > 1) outcome.doubled.push(`${name}: a message arrived ${times} times`)
      if (result === 'done' && times === 0) outcome.lost.push(`${name}: a message was called delivered and was not`)
      if (result === false && times > 0) outcome.falseStatus.push(`${name}: a message was refused and delivered`)
    }
    for (const { executed } of far.truth.asks)
      if (executed > 1) outcome.doubled.push(`${name}: a command was carried out ${executed} times`)
  }

  function write(session: Session): void {
    if (agenda.now() > end) return
    const { messages, home } = session
    const id = `m${messages.size}`
    messages.set(id, 'open')
    count(world, 'messages')
    home.send(id, (result) => {
      messages.set(id, result)
      count(
        world,
        result === 'done' ? 'messages delivered' : result === false ? 'messages refused' : 'messages unknown',
      )
    })
    agenda.after(random.below(10 * MINUTE), () => write(session))
  }

  const all: Session[] = []
  for (let index = 0; index < total; index++) {
    const session = { name: `s${index}`, life: 0, messages: new Map(), isOver: false } as unknown as Session
    all.push(session)
    agenda.at(random.below(MINUTE), () => {
      begin(session, 0, null)
      const poll = () => {
        if (!session.isOver) check(session)
        if (agenda.now() < end + QUIET_MS) agenda.after(10_000 + random.below(50_000), poll)
      }
      agenda.after(random.below(30_000), poll)
      agenda.after(random.below(5 * MINUTE), () => write(session))
    })
  }
  goWrong(world, end, all)
  measure(world, end, outcome)
  agenda.runUntil(end + QUIET_MS)
  for (const session of all) finish(session)
  outcome.lost.push(...world.broken)
  return outcome

  function finish(session: Session): void {
    const { far, home, name } = session
    settle(session)
    if (session.isOver || far.machine.state !== 'up') return
    const verdict = home.judge().state
    const { isAlive, asks, version, isWorking } = far.truth
    // One that ended in the last minute may still be on its way.
    const hasJustEnded = far.truth.endedAt !== null && agenda.now() - far.truth.endedAt < SETTLE_MS
    const isRecent = hasJustEnded || !isCalm(session, agenda.now())
    if (!isRecent && verdict !== (isAlive ? 'alive' : 'dead')) outcome.falseStatus.push(`${name} ends as ${verdict}`)
    if (isRecent) return
    if (isAlive && home.files.memory!.read < far.lastFact() && far.truth.asks.at(-1)!.begunAt < agenda.now() - MINUTE)
      outcome.lost.push(`${name}: fact ${far.lastFact()} never came home`)
    if (isAlive && !isWorking && agenda.now() - far.truth.activityAt > SETTLE_MS && home.files.work !== version)
      outcome.lost.push(`${name}: home has work ${home.files.work} of ${version}`)
    const waiting = asks.filter((ask) => ask.outcome === 'waiting' && agenda.now() - ask.begunAt > 5 * MINUTE)
    if (isAlive && waiting.length > 0) outcome.lost.push(`${name}: ${waiting.length} commands wait for ever`)
  }
}

function chooseMachine({ machines, random }: World, not: Machine | null): Machine {
  const isFit = (machine: Machine) => isReachable(machine) && !machine.isFull && machine !== not
  for (let tries = 0; tries < 50; tries++) {
    const machine = random.pick(machines)
    if (isFit(machine)) return machine
  }
  return machines.find(isFit) ?? machines[0]!
}

/** In each hour about half of the machines have some trouble; a tenth of them for good. */
function goWrong(world: World, end: number, all: readonly Session[]): void {
  const { agenda, random, machines } = world
  const hours = end / (60 * MINUTE)
  const times = (perHour: number, act: () => void) => {
    const number = Math.max(1, Math.round(perHour * hours))
    for (let n = 0; n < number; n++) agenda.at(random.below(end), act)
  }
  const some = () => random.pick(machines)
  times(machines.length * 0.5, () => cutNetwork(world, some(), 1_000 + random.below(180_000)))
  times(machines.length * 0.1, () => losePower(world, some(), 20_000 + random.below(120_000)))
  times(machines.length * 0.05, () => losePower(world, some(), null))
  times(machines.length * 0.2, () => fillDisk(world, some(), 10_000 + random.below(120_000)))
  times(machines.length * 0.5, () => {
    const residents = [...some().residents]
    if (residents.length > 0) random.pick(residents).onHostKilled()
  })
  times(all.length * 0.3, () => random.pick(all).home?.kill())
  times(1, () => fillDisk(world, null, 30_000))
  // Everything of ao at home at once.
  times(1, () => {
    for (const { home } of all) home?.kill()
  })
}

function measure(world: World, end: number, outcome: Outcome): void {
  let before = 0
  const second = () => {
    const attempts = world.counts['attempts to connect'] ?? 0
    // Not the start of all sessions within the first minutes, which nobody does.
    if (world.agenda.now() > 2 * MINUTE) outcome.busiestSecond = Math.max(outcome.busiestSecond, attempts - before)
    before = attempts
    if (world.agenda.now() < end) world.agenda.after(1_000, second)
  }
  second()
}
