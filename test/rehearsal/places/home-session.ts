// One session at home: its line, which may be killed between any two steps, the files that outlive it, and people who send
// messages. Everything that is decided is decided by core/place/line.
import type { decideLine } from '../../../src/core/place/line/decide-line.ts'
import { driveLine } from '../../../src/core/place/line/drive-line.ts'
import { inHomesTime } from '../../../src/core/place/line/homes-time.ts'
import { judgeLine, type LineVerdict } from '../../../src/core/place/line/judge-line.ts'
import type { LineAct, LineEnd, LineEvent, LineMemory } from '../../../src/core/place/line/line-state.ts'
import { afterReply, type RequestReply } from '../../../src/core/place/line/repeat-request.ts'
import type { FarSession, Follower } from './far-session.ts'
import { type Connection, count, isReachable, openConnection, type World } from './world.ts'

export type Decide = typeof decideLine

/** Outlives every process. */
export interface HomeFiles {
  memory: LineMemory | null
  end: LineEnd | null
  work: number
}

export interface HomeSession {
  files: HomeFiles
  /** Until when something that happened at home to this session alone may show. */
  disturbedUntil: number
  isRunning(): boolean
  ensureLine(): void
  kill(): void
  judge(): LineVerdict
  send(id: string, onOutcome: (outcome: 'done' | false | null) => void): void
}

class FullDiskError extends Error {}

/** The chance to be killed at each of the moments between two steps. */
const DIES = 0.000_2
/** Between noting something and doing it. */
const DIES_BEFORE: Partial<Record<LineAct['act'], number>> = { answer: 0.02, 'record-end': 0.02 }

export function createHomeSession(world: World, far: FarSession, work: number, decide?: Decide): HomeSession {
  const { agenda, random, home } = world
  const { machine } = far
  const files: HomeFiles = { memory: null, end: null, work }
  let line: Line | null = null

  interface Line {
    isAlive: boolean
    connection: Connection | null
    post(event: LineEvent): void
    saveQueue: Array<() => void>
  }

  function write(change: () => void): void {
    if (home.isFull) throw new FullDiskError('no space left at home')
    count(world, 'writes at home')
    change()
  }

  function die(it: Line): void {
    if (!it.isAlive) return
    it.isAlive = false
    count(world, 'lines killed')
    session.disturbedUntil = Math.max(session.disturbedUntil, agenda.now() + 180_000)
    if (it.connection) closeThere(it.connection)
    if (line === it) line = null
  }

  function closeThere(connection: Connection): void {
    connection.close()
    const follower = followers.get(connection)
    if (follower) far.unfollow(follower)
  }

  const followers = new Map<Connection, Follower>()

  function startLine(): void {
    try {
      write(() => {
        files.memory = { ...(files.memory ?? emptyMemory(agenda.now())), connected: false }
      })
    } catch {
      return
    }
    const it: Line = { isAlive: true, connection: null, post: () => undefined, saveQueue: [] }
    const moment = (chance = DIES) => {
      if (random.chance(chance)) die(it)
      return it.isAlive
    }
    const drive = driveLine(
      {
        memory: () => files.memory!,
        keep(change) {
          if (!moment()) return
          write(() => {
            files.memory = { ...files.memory!, ...change }
          })
        },
        act: (act) => void (moment(DIES_BEFORE[act.act]) && start(it, act)),
        giveUp: () => die(it),
        now: () => agenda.now(),
      },
      decide,
    )
    it.post = (event) => {
      if (!it.isAlive) return
      count(world, 'decisions')
      drive(event)
    }
    line = it
    it.post({ type: 'started' })
  }

  function start(it: Line, act: LineAct): void {
    const { post } = it
    const soon = (ms: number, event: () => LineEvent) => agenda.after(ms, () => it.isAlive && post(event()))
    const roundTrip = 2 * machine.latency + 20 + random.below(100)
    const startHost = (): LineEvent => {
      if (!isReachable(machine)) return { type: 'host-started', why: 'the place cannot be reached' }
      return { type: 'host-started', why: far.startHost() === 'ok' ? null : 'no space left there' }
    }
    if (act.act === 'connect') connect(it, roundTrip)
    else if (act.act === 'probe') soon(roundTrip, () => ({ type: 'probed', place: probe() }))
    else if (act.act === 'start-host') soon(roundTrip + 500, startHost)
    else if (act.act === 'follow') follow(it, act.after)
    else if (act.act === 'answer') answer(it, act.fact.id)
    else if (act.act === 'save') save(it, act.save)
    // One that is set again replaces the earlier one; here both fire, which is harmless and costs a decision.
    else if (act.act === 'timer') soon(act.ms, () => ({ type: 'timer', timer: act.timer }))
    else if (act.act === 'close') close(it)
    else if (act.act === 'record-end') agenda.after(1, () => it.isAlive && recordEnd(it, act.end))
  }

  function close(it: Line): void {
    if (it.connection) closeThere(it.connection)
    it.connection = null
  }

  function recordEnd(it: Line, end: LineEnd): void {
    try {
      write(() => {
        files.end ??= end
      })
    } catch {
      die(it)
      return
    }
    it.post({ type: 'end-recorded' })
  }

  function probe() {
    if (machine.state === 'lost' && machine.canProveGone) return { state: 'gone' as const, why: 'the node is gone' }
    if (!isReachable(machine)) return { state: 'unknown' as const, why: 'it does not answer' }
    return { state: 'up' as const }
  }

  function connect(it: Line, roundTrip: number): void {
    count(world, 'attempts to connect')
    const isThere = isReachable(machine)
    agenda.after(isThere ? roundTrip : 3_000, () => {
      if (!it.isAlive) return
      if (!isReachable(machine)) return it.post({ type: 'not-connected', why: 'no answer', hasNoHost: false })
      if (!far.hasHost()) return it.post({ type: 'not-connected', why: 'no host', hasNoHost: true })
      const connection = openConnection(world, machine, () => {
        closeThere(connection)
        if (it.connection === connection) it.connection = null
        it.post({ type: 'lost', why: 'the line is dead' })
      })
      it.connection = connection
      it.post({ type: 'connected', agent: far.agentState() })
    })
  }

  function follow(it: Line, read: number): void {
    const connection = it.connection
    if (!connection) return
    // Measured by a request and its answer: wrong by half of what the two ways differ.
    const offset = -machine.skew + random.below(20) - 10
    const ifCurrent = (event: () => LineEvent) => {
      if (it.isAlive && it.connection === connection) it.post(event())
    }
    const follower: Follower = {
      connection,
      fact({ n, type, id, exitCode = null, why }) {
        ifCurrent(() => {
          if (type === 'ask') return { type: 'fact', fact: { type, n, id: id!, tool: 'gh', argv: [] } }
          if (type === 'exit') return { type: 'fact', fact: { type, n, exitCode, signal: null, screen: '', why } }
          return { type: 'fact', fact: { type: 'other', n } }
        })
      },
      reading(state, at) {
        const result = { activity: { state, timestamp: new Date(at).toISOString() }, info: null }
        ifCurrent(() => ({ type: 'reading', reading: inHomesTime(result, offset) }))
      },
      trouble: () => ifCurrent(() => ({ type: 'trouble', why: 'it has ended, and its disk is full' })),
      head: () => ifCurrent(() => ({ type: 'head' })),
    }
    followers.set(connection, follower)
    connection.send(() => far.follow(follower, read))
  }

  function answer(it: Line, id: string): void {
    const connection = it.connection
    if (!connection) return
    connection.send(() => {
      const ask = far.takeAsk(id)
      if (ask === null) return
      connection.send(() => {
        if (!it.isAlive) return
        // Here home runs the command: this is what must not happen twice.
        ask.executed += 1
        connection.send(() => {
          ask.outcome = 'answered'
        })
      })
    })
    agenda.after(20_000 + 4 * machine.latency, () => settleAsk(id, connection))
  }

  /** A stream that ends with its connection ends the command, too. */
  function settleAsk(id: string, connection: Connection): void {
    const ask = far.truth.asks.find((one) => one.id === id)
    if (ask?.outcome !== 'waiting') return
    if (!connection.isOpen && ask.isTaken) ask.outcome = 'cut off'
    else if (connection.isOpen) agenda.after(5_000, () => settleAsk(id, connection))
  }

  function save(it: Line, number: number): void {
    it.saveQueue.push(() => {
      const connection = it.connection
      const finish = (why: string | null) => {
        if (!it.isAlive) return
        it.saveQueue.shift()
        it.post({ type: 'saved', save: number, why })
        it.saveQueue[0]?.()
      }
      if (!connection) return void agenda.after(1, () => finish('the line was lost'))
      count(world, 'saves')
      let isOver = false
      const once = (why: string | null) => {
        if (isOver) return
        isOver = true
        finish(why)
      }
      connection.send(() => {
        const version = far.captureWork()
        const transfer = machine.latency > 400 ? random.below(20_000) : random.below(1_500)
        agenda.after(transfer, () =>
          connection.send(() => {
            if (!it.isAlive) return
            if (version === null) return once('no space left there')
            if (home.isFull) return once('no space left at home')
            if (version < files.work) world.broken.push(`work at home went back from ${files.work} to ${version}`)
            files.work = Math.max(files.work, version)
            once(null)
          }),
        )
      })
      const check = () => {
        if (isOver || !it.isAlive) return
        if (it.connection === connection) agenda.after(1_000, check)
        else once('the line was lost')
      }
      agenda.after(1_000, check)
    })
    if (it.saveQueue.length === 1) it.saveQueue[0]!()
  }

  /** The line's socket at home, and the stream behind it. */
  function request(id: string, onReply: (reply: RequestReply) => void): void {
    const it = line
    if (it === null) {
      onReply({ kind: 'refused', why: 'nothing listens', isPassing: true })
      return
    }
    const { connection } = it
    if (!connection) {
      return void agenda.after(3_000, () => {
        if (it.isAlive && it.connection) return request(id, onReply)
        onReply({ kind: 'refused', why: 'the place cannot be reached now', isPassing: true })
      })
    }
    let isOver = false
    const once = (reply: RequestReply) => {
      if (isOver) return
      isOver = true
      onReply(reply)
    }
    connection.send(() => {
      const output = far.paste(id)
      connection.send(() => {
        if (!it.isAlive) return
        once(output === 'ok' ? { kind: 'done' } : { kind: 'refused', why: 'its terminal is gone', isPassing: false })
      })
    })
    const check = () => {
      if (isOver) return
      if (it.isAlive && connection.isOpen) agenda.after(500, check)
      else once({ kind: 'sent', why: 'the connection was closed' })
    }
    agenda.after(500, check)
  }

  const session: HomeSession = {
    files,
    disturbedUntil: 0,
    isRunning: () => line !== null,
    ensureLine() {
      if (line === null && files.end === null) startLine()
    },
    kill: () => void (line && die(line)),
    judge() {
      const exit = files.end && { code: files.end.exitCode, signal: files.end.signal, why: files.end.why }
      const facts = { place: 'box', hasSpec: true, exit, isRunning: line !== null, memory: files.memory }
      return judgeLine(facts, agenda.now())
    },
    send(id, onOutcome) {
      const begun = agenda.now()
      const attempt = (maybeSent: boolean) =>
        request(id, (reply) => {
          const next = afterReply(reply, { maybeSent, elapsedMs: agenda.now() - begun })
          if (next.next === 'done') onOutcome('done')
          else if (next.next === 'give-up') onOutcome(next.arrived)
          else agenda.after(250, () => attempt(maybeSent || reply.kind === 'sent'))
        })
      attempt(false)
    },
  }
  return session
}

function emptyMemory(now: number): LineMemory {
  const why = 'it is being opened'
  return { connected: false, since: now, why, orphaned: false, read: 0, reading: null, mirror: null }
}
