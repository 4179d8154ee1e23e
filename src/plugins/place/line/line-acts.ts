// What a line can do, each started here and answered by an event: connecting, asking the engine, reading the log, bringing work
// home. When and in which order is decided in core/place/line.
import { errorText } from '../../../contract/errors.ts'
import { type CheckedAsk, checkFact } from '../../../core/place/check-far-values.ts'
import { inHomesTime } from '../../../core/place/line/homes-time.ts'
import type { LineAct, LineEnd, LineEvent, LineTimer } from '../../../core/place/line/line-state.ts'
import { readExit, writeExit } from '../../../host/launches.ts'
import { sleep, systemClock } from '../../../lib/clock.ts'
import type { PlaceEngine } from '../../../slots/place.ts'
import { type LogEntry, logLine, type WantedConnection } from '../far-contract.ts'
import type { LineSpec } from '../home/line-files.ts'
import type { Far } from '../reach/far.ts'
import { connectHost, hasNoHost, startHostThere } from '../reach/reach-host.ts'
import { readJsonLines } from '../wire.ts'
import { bringWorkHome, type Keep } from '../work/bring-home.ts'
import { bringConversationHome, bringOutputHome } from '../work/conversation.ts'
import { bringRecordingHome } from '../work/recording.ts'
import { answerAsk } from './answer-ask.ts'
import { connectModel } from './connect-model.ts'
import { createRecord } from './record-ask.ts'

export interface LineOwner {
  spec: LineSpec
  stateDir: string
  /** The user's: home runs gh and git for the agent. */
  env: NodeJS.ProcessEnv
  engine(): Promise<PlaceEngine>
  keep: Keep
}

export interface LineActs {
  far(): Far | null
  start(act: LineAct): void
  /** With each piece of what an agent says over the protocol. */
  onOutput(chunk: Buffer): void
  /** Lets go of the place. Resolves when nothing of it is under way at home. */
  end(): Promise<void>
}

export interface LineEvents {
  post(event: LineEvent): void
  leave(): void
  /** Nothing can be written at home. */
  giveUp(error: unknown): void
}

/** In the response to a prompt, and hardly anywhere else. Missed between two pieces, the next save is half a minute away. */
const END_OF_TURN = '"stopReason"'

export function createActs(owner: LineOwner, to: LineEvents): LineActs {
  const { spec, stateDir, env, engine, keep } = owner
  const record = createRecord(spec)
  const open = { count: 0 }
  const models = { allowed: spec.modelHosts ?? [], open: 0 }
  const timers = new Map<LineTimer, NodeJS.Timeout>()
  const answers = new Set<Promise<void>>()
  let current: Far | null = null
  let busy: Promise<unknown> = Promise.resolve()
  let isEnded = false
  const post = (event: LineEvent) => {
    if (!isEnded) to.post(event)
  }

  const saveRest = async () => {
    const far = current
    if (!far) return
    const launch = { stateDir, spawnId: spec.spawnId }
    // Before its end is recorded, which whoever reads it takes for the end of its output.
    if (spec.overProtocol) await bringOutputHome(far, launch)
    // The work is home, which is what counts; the next save brings what is missing. After the conversation of an agent that has
    // ended, its host leaves.
    await bringRecordingHome(far, launch, keep).catch(() => undefined)
    await bringConversationHome(far, launch, keep).catch(() => undefined)
  }
  /** One fetch at a time; whoever asks during one gets the next. */
  const save = (far: Far, wants: readonly string[] = []): Promise<void> => {
    const next = busy.then(() => bringWorkHome(far, spec, env, keep, wants)).then(saveRest)
    busy = next.catch(() => undefined)
    return next
  }
  const connect = async () => {
    let far: Far
    try {
      far = await connectHost(await engine(), spec)
    } catch (error) {
      return post({ type: 'not-connected', why: errorText(error), hasNoHost: hasNoHost(error) })
    }
    if (isEnded) return far.close()
    current = far
    post({ type: 'connected', agent: far.hello.agent })
    far.onSilence((since) => current === far && post({ type: 'silence', since }))
    void far.closed.then((why) => {
      if (current !== far) return
      current = null
      post({ type: 'lost', why })
    })
  }
  const probe = async () => {
    const unknown = (error: unknown) => ({ state: 'unknown' as const, why: errorText(error) })
    const place = await engine()
      .then((one) => one.probe(spec.ref))
      .catch(unknown)
    post({ type: 'probed', place })
  }
  const startHost = async () => {
    const why = await engine()
      .then((one) => startHostThere(one, spec))
      .then(() => null, errorText)
    post({ type: 'host-started', why })
  }
  const follow = async (far: Far, after: number) => {
    const take = (entry: LogEntry) => {
      // At once: an agent waits for its model.
      if (!('n' in entry) && 'connection' in entry) return connectModel(far, entry.connection, models)
      if (current === far) takeEntry(entry, far.clockOffset)
    }
    await readJsonLines(far.stream('GET /log', { query: { after } }), logLine, take)
    far.close()
  }
  const takeEntry = (entry: Exclude<LogEntry, { connection: WantedConnection }>, clockOffset: number) => {
    if ('n' in entry) {
      const fact = checkFact(entry)
      if (fact !== null) post({ type: 'fact', fact })
    } else if ('reading' in entry) post({ type: 'reading', reading: inHomesTime(entry.reading, clockOffset) })
    else if ('head' in entry) post({ type: 'head' })
    else post({ type: 'trouble', why: entry.trouble.slice(0, 200) })
  }
  const bringHome = async (number: number) => {
    const far = current
    const saved = far === null ? Promise.reject(new Error('the line was lost')) : save(far)
    post({ type: 'saved', save: number, why: await saved.then(() => null, errorText) })
  }
  const answer = (far: Far, ask: CheckedAsk) => {
    const answering = { far, spec, env, keep, save: (wants?: readonly string[]) => save(far, wants), ask, record, open }
    const done = answerAsk(answering).finally(() => answers.delete(done))
    answers.add(done)
  }
  const setTimer = (timer: LineTimer, ms: number) => {
    clearTimeout(timers.get(timer))
    timers.set(
      timer,
      setTimeout(() => post({ type: 'timer', timer }), ms),
    )
  }
  const close = () => {
    const far = current
    current = null
    far?.close()
    for (const timer of ['save-regularly', 'save-again'] as const) clearTimeout(timers.get(timer))
  }
  const recordEnd = async (end: LineEnd) => {
    try {
      writeEnd(owner, end)
    } catch (error) {
      return to.giveUp(error)
    }
    post({ type: 'end-recorded' })
  }

  return {
    far: () => current,
    onOutput: (chunk) => post({ type: 'output', endsTurn: chunk.includes(END_OF_TURN) }),
    start(act) {
      const far = current
      if (act.act === 'connect') void connect()
      else if (act.act === 'probe') void probe()
      else if (act.act === 'start-host') void startHost()
      else if (act.act === 'follow') void (far && follow(far, act.after))
      else if (act.act === 'answer') far && answer(far, act.fact)
      else if (act.act === 'save') void bringHome(act.save)
      else if (act.act === 'record-end') void recordEnd(act.end)
      else if (act.act === 'close') close()
      else if (act.act === 'timer') setTimer(act.timer, act.ms)
      else to.leave()
    },
    async end() {
      isEnded = true
      close()
      clearTimeout(timers.get('retry'))
      await Promise.race([Promise.allSettled([busy, ...answers]), sleep(LAST_WORK_MS)])
    },
  }
}

/** Commands that home runs for the agent are ended with the connection; git may be in the middle of the mirror. */
const LAST_WORK_MS = 10_000

function writeEnd({ stateDir, spec: { spawnId } }: LineOwner, { exitCode, signal, screen, why }: LineEnd): void {
  if (readExit(stateDir, spawnId) !== null) return
  writeExit(stateDir, {
    spawnId,
    code: exitCode,
    signal: signal as NodeJS.Signals | null,
    screen,
    why,
    at: systemClock.now().toISOString(),
  })
}
