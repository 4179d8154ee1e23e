// The line to one session in a place: a process at home that keeps a channel open for as long as the session lives, passes
// terminals on, brings work and facts home, and answers what the agent asks of home. It may be killed at any moment: whoever
// needs it starts it again, and it continues from the last number that it read. What it does is decided in core/place/line.
import { rmSync } from 'node:fs'
import { driveLine } from '../../../core/place/line/drive-line.ts'
import { sleep, systemClock } from '../../../lib/clock.ts'
import { isHeld, withLock } from '../../../lib/lock.ts'
import { writeReport } from '../../../lib/process/detached-host.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import type { PlaceEngine } from '../../../slots/place.ts'
import { type LineSpec, lineLock, readLineSpec, readLineState, writeLineState } from '../home/line-files.ts'
import { firstState, type Keep } from '../work/bring-home.ts'
import { createActs } from './line-acts.ts'
import { listenAtHome } from './relay.ts'

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
  const keep = keepState(stateDir, spawnId)
  const over = Promise.withResolvers<void>()
  const acts = createActs(
    { spec, stateDir, engine: openOnce(() => makeEngine(spec)), keep },
    {
      post: (event) => post(event),
      leave: over.resolve,
      giveUp: over.reject,
    },
  )
  const post = driveLine({
    memory: keep.state,
    keep: keep.save,
    act: acts.start,
    giveUp: over.reject,
    now: () => systemClock.now().getTime(),
  })
  const server = await listenAtHome(spec.socket, { far: acts.far, onSaid: spec.overProtocol ? acts.onSaid : null })
  report()
  onTerm(() => {
    acts.far()?.close()
    server.close()
    process.exit(0)
  })
  post({ type: 'started' })
  await over.promise
  await sleep(LINGER_MS)
  server.close()
  rmSync(spec.socket, { force: true })
  process.exit(0)
}

/** An engine that cannot be made, such as one of a plugin that was changed, is tried again with the next connection. */
function openOnce(make: () => Promise<PlaceEngine>): () => Promise<PlaceEngine> {
  let opened: Promise<PlaceEngine> | null = null
  return () => {
    opened ??= make().catch((error) => {
      opened = null
      throw error
    })
    return opened
  }
}

function keepState(stateDir: string, spawnId: string): Keep {
  const line = formatIdentity(currentProcess())
  const before = readLineState(stateDir, spawnId) ?? firstState(line)
  const lost = before.connected ? { since: systemClock.now().getTime(), silentSince: null, why: '' } : {}
  let state = { ...before, line, connected: false, ...lost }
  const save = (change: Partial<typeof state>) => {
    const next = { ...state, ...change }
    writeLineState(stateDir, spawnId, next)
    state = next
  }
  save({})
  return { state: () => state, save }
}

const report = () => writeReport('up')

function onTerm(end: () => void): void {
  process.on('SIGTERM', end)
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => undefined)
}
