// The line to one session in a place: a process at home that keeps a channel open for as long as the session lives, passes
// terminals on, brings work and facts home, and answers what the agent asks of home. It may be killed at any moment: whoever
// needs it starts it again, and it goes on from the last number that it read.
import { closeSync, rmSync, writeSync } from 'node:fs'
import { errorText } from '../../../contract/errors.ts'
import { type CheckedExit, type CheckedFact, checkFact } from '../../../core/place/check-far-words.ts'
import { sleep, systemClock } from '../../../lib/clock.ts'
import { isHeld, withLock } from '../../../lib/lock.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import type { PlaceEngine } from '../../../slots/place.ts'
import { readExit, writeExit } from '../../runtime-process/host/host-files.ts'
import { type LineSpec, lineLock, readLineSpec, readLineState, writeLineState } from '../home/line-files.ts'
import type { Far } from '../reach/far.ts'
import { connectHost, hasNoHost, startHostThere } from '../reach/reach-host.ts'
import { type FarReading, type LogLine, readJsonLines } from '../wire.ts'
import { bringWorkHome, firstState, type Keep } from '../work/bring-home.ts'
import { answerAsk } from './answer-ask.ts'
import { connectModel } from './connect-model.ts'
import { listenAtHome } from './relay.ts'

/** The creator reads a byte from here. */
const REPORT_FD = 3
const RETRY_MS = [200, 500, 1_000, 2_000, 5_000]
/** While the agent works, at most this much of it is only there. */
const SAVE_EVERY_MS = 30_000
const SAVE_AGAIN_MS = 3_000
/** After the end the screen can still be read; then it is in a file. */
const LINGER_MS = 30_000

type MakeEngine = (spec: LineSpec) => Promise<PlaceEngine>

/** One at a time: two commands may start one at the same moment, and what an agent asks must be done once. */
export async function runLine(stateDir: string, spawnId: string, makeEngine: MakeEngine): Promise<void> {
  const lock = lineLock(stateDir, spawnId)
  if (isHeld(lock)) return report()
  await withLock(lock, () => keepLine(stateDir, spawnId, makeEngine), { timeoutMs: 0 }).catch((error) => {
    // Another one was faster.
    if (!isHeld(lock)) throw error
    report()
  })
}

async function keepLine(stateDir: string, spawnId: string, makeEngine: MakeEngine): Promise<void> {
  const spec = readLineSpec(stateDir, spawnId)
  if (spec === null) return report()
  const engine = await makeEngine(spec)
  const keep = keepState(stateDir, spawnId)
  const current: Line['current'] = { far: null, onSaid: () => undefined }
  const onSaid = spec.overProtocol ? (chunk: Buffer) => current.onSaid(chunk) : null
  const server = await listenAtHome(spec.socket, { far: () => current.far, onSaid })
  report()
  onTerm(() => {
    current.far?.close()
    server.close()
    process.exit(0)
  })
  const line: Line = { spec, stateDir, engine, keep, current }
  for (let failures = 0; ; ) {
    const outcome = await connectOnce(line)
    if (outcome === 'over') break
    failures = outcome === 'lost' ? 0 : failures + 1
    await sleep(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]!)
  }
  await sleep(LINGER_MS)
  server.close()
  rmSync(spec.socket, { force: true })
  process.exit(0)
}

interface Line {
  spec: LineSpec
  stateDir: string
  engine: PlaceEngine
  keep: Keep
  current: {
    far: Far | null
    /** With each piece of what an agent says over the protocol. */
    onSaid: (chunk: Buffer) => void
  }
}

/** `over`: the session has ended and its work is home. `lost`: there was a connection. `failed`: there was none. */
async function connectOnce(line: Line): Promise<'over' | 'lost' | 'failed'> {
  const { spec, engine, keep } = line
  let far: Far
  try {
    far = await connectHost(engine, spec)
  } catch (error) {
    return unreachable(line, error)
  }
  line.current.far = far
  keep.save({ connected: true, since: now(), why: '', orphaned: far.hello.agent === 'orphaned' })
  const over = await follow(line, far)
  line.current.far = over ? far : null
  if (over) return 'over'
  keep.save({ connected: false, since: now(), why: await far.closed })
  return 'lost'
}

async function unreachable(line: Line, error: unknown): Promise<'over' | 'failed'> {
  const { spec, engine, keep, stateDir } = line
  const why = errorText(error)
  const state = keep.state()
  keep.save({ connected: false, why, since: state.connected ? now() : state.since })
  const place = await engine
    .probe(spec.ref)
    .catch((failure) => ({ state: 'unknown' as const, why: errorText(failure) }))
  if (place.state === 'gone') {
    writeEnd(stateDir, spec.spawnId, { exitCode: null, signal: null, screen: '', why: place.why })
    return 'over'
  }
  if (place.state === 'unknown') keep.save({ why: place.why })
  // The place is there, its host was killed: another one saves the work and says what became of the agent.
  if (place.state === 'up' && hasNoHost(error)) {
    await startHostThere(engine, spec).catch((failure) => keep.save({ why: errorText(failure) }))
  }
  return 'failed'
}

/** Resolves at the end of the line or of the session; true: the session is over and its work is home. */
async function follow(line: Line, far: Far): Promise<boolean> {
  const { keep } = line
  const work = createSaver(line, far)
  line.current.onSaid = work.onSaid
  const stream = far.stream('GET', `/log?after=${keep.state().read}`)
  let queue = Promise.resolve()
  let over = false
  const handle = (entry: LogLine) => {
    // At once: what comes home meanwhile may take a while.
    if ('connection' in entry) return connectModel(far, entry.connection, line.spec.modelHosts ?? [])
    queue = queue
      .then(() => take(line, far, work, entry))
      .then(
        (ended) => {
          if (!ended) return
          over = true
          stream.destroy()
        },
        // The number is not noted, so it is read again.
        (error) => {
          keep.save({ why: errorText(error) })
          stream.destroy()
        },
      )
  }
  await Promise.race([readJsonLines<LogLine>(stream, handle), far.closed])
  await queue
  work.close()
  if (!over) far.close()
  return over
}

async function take(
  line: Line,
  far: Far,
  work: Saver,
  entry: Exclude<LogLine, { connection: unknown }>,
): Promise<boolean> {
  const { keep } = line
  if ('reading' in entry) {
    const before = keep.state().reading?.activity?.state
    keep.save({ reading: inHomesTime(entry.reading, far.clockOffset) })
    work.onActivity(before, entry.reading.activity?.state)
    return false
  }
  if ('head' in entry) {
    work.saveSoon()
    return false
  }
  const fact = checkFact(entry)
  if (fact === null) return false
  const ended = await takeFact(line, far, work, fact)
  keep.save({ read: fact.n })
  return ended
}

function inHomesTime(reading: FarReading, offset: number): FarReading {
  const { activity } = reading
  const at = activity?.timestamp === undefined ? Number.NaN : Date.parse(activity.timestamp) + offset
  return activity && !Number.isNaN(at)
    ? { ...reading, activity: { ...activity, timestamp: new Date(at).toISOString() } }
    : reading
}

async function takeFact(line: Line, far: Far, work: Saver, fact: CheckedFact): Promise<boolean> {
  const { spec, stateDir, keep } = line
  if (fact.type === 'exit') {
    await work.save()
    writeEnd(stateDir, spec.spawnId, { ...fact, why: fact.why ?? (await whyEnded(line, fact)) })
    return true
  }
  if (fact.type === 'ask') {
    // Noted first: what home did once is not done again when the line dies meanwhile; the agent sees that it was cut off.
    keep.save({ read: fact.n })
    void answerAsk({ far, spec, keep, save: work.save, ask: fact })
  }
  return false
}

/** An agent that did not end by itself: the engine may know more, such as a time limit. */
async function whyEnded({ engine, spec }: Line, { exitCode }: CheckedExit): Promise<string | undefined> {
  if (exitCode === 0) return undefined
  const place = await engine.probe(spec.ref).catch(() => null)
  if (place?.state === 'gone') return place.why
  return place?.state === 'up' ? place.ending : undefined
}

interface Saver {
  save(wants?: readonly string[]): Promise<void>
  /** Until it succeeds, or the line is lost. */
  saveSoon(): void
  onActivity(before: string | undefined, after: string | undefined): void
  /** The agent speaks the protocol: it is working while it says something, and a turn ends with its response. */
  onSaid(chunk: Buffer): void
  close(): void
}

/** In the response to a prompt, and hardly anywhere else. Missed between two pieces, the next save is half a minute away. */
const END_OF_TURN = '"stopReason"'

/** One fetch at a time; whoever asks during one gets the next. */
function createSaver({ spec, keep }: Line, far: Far): Saver {
  let busy: Promise<unknown> = Promise.resolve()
  const save = (wants: readonly string[] = []): Promise<void> => {
    const next = busy.then(() => bringWorkHome(far, spec, process.env, keep, wants))
    busy = next.catch(() => undefined)
    return next.then(() => undefined)
  }
  let again: NodeJS.Timeout | undefined
  /** What failed is tried again: nothing else would bring this work home before the next turn. */
  const saveOrSay = () => {
    clearTimeout(again)
    save().catch((error) => {
      keep.save({ mirror: errorText(error) })
      clearTimeout(again)
      if (!isClosed) again = setTimeout(saveOrSay, SAVE_AGAIN_MS)
    })
  }
  let isClosed = false
  let working = false
  const timer = setInterval(() => {
    if (working) saveOrSay()
  }, SAVE_EVERY_MS)
  return {
    save,
    saveSoon: saveOrSay,
    onSaid(chunk) {
      working = !chunk.includes(END_OF_TURN)
      if (!working) saveOrSay()
    },
    onActivity(before, after) {
      working = after === 'active'
      // The end of a turn.
      if (before === 'active' && after !== 'active') saveOrSay()
    },
    close() {
      isClosed = true
      clearInterval(timer)
      clearTimeout(again)
    },
  }
}

type End = Omit<CheckedExit, 'type' | 'n'>

function writeEnd(stateDir: string, spawnId: string, { exitCode, signal, screen, why }: End): void {
  if (readExit(stateDir, spawnId) !== null) return
  writeExit(stateDir, { spawnId, exitCode, signal, screen, why, at: systemClock.now().toISOString() })
}

function keepState(stateDir: string, spawnId: string): Keep {
  const line = formatIdentity(currentProcess())
  let state = { ...(readLineState(stateDir, spawnId) ?? firstState(line)), line, connected: false }
  const save = (change: Partial<typeof state>) => {
    state = { ...state, ...change }
    writeLineState(stateDir, spawnId, state)
  }
  save({})
  return { state: () => state, save }
}

function now(): number {
  return systemClock.now().getTime()
}

function report(): void {
  try {
    writeSync(REPORT_FD, 'up\n')
    closeSync(REPORT_FD)
  } catch {
    // The creator is gone; the state file informs whoever comes next.
  }
}

function onTerm(end: () => void): void {
  process.on('SIGTERM', end)
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => undefined)
}
