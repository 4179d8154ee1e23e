// The line to one session in a place: keeps a channel open for as long as the session lives, passes terminals on, brings work and
// facts home, and answers what the agent asks of home. It may be lost at any moment: whoever needs it opens it again, and it
// continues from the last number that it read. What it does is decided in core/place/line.
import { rmSync } from 'node:fs'
import { driveLine } from '../../../core/place/line/drive-line.ts'
import { sleep, systemClock } from '../../../lib/clock.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import type { PlaceEngine } from '../../../slots/place.ts'
import { type LineSpec, readLineState, writeLineState } from '../home/line-files.ts'
import { firstState, type Keep } from '../work/bring-home.ts'
import { createActs } from './line-acts.ts'
import { listenAtHome } from './relay.ts'

/** After the end the screen can still be read; then it is in a file. */
const LINGER_MS = 30_000

export type OpenEngine = (spec: LineSpec, env: NodeJS.ProcessEnv) => Promise<PlaceEngine>

export interface OpenLine {
  /** Resolves when the session is over and its end recorded; rejects when the line cannot be kept. */
  over: Promise<void>
  /** Resolves when nothing of it is under way, and nothing more of it will be written. */
  close(): Promise<void>
}

export interface LineHome {
  stateDir: string
  env: NodeJS.ProcessEnv
  openEngine: OpenEngine
}

/** Resolves when it listens at home. */
export async function openLine(spec: LineSpec, { stateDir, env, openEngine }: LineHome): Promise<OpenLine> {
  const keep = keepState(stateDir, spec.spawnId)
  const over = Promise.withResolvers<void>()
  const acts = createActs(
    { spec, stateDir, env, engine: openOnce(() => openEngine(spec, env)), keep },
    { post: (event) => post(event), leave: over.resolve, giveUp: over.reject },
  )
  const post = driveLine({
    memory: keep.state,
    keep: keep.save,
    act: acts.start,
    giveUp: over.reject,
    now: () => systemClock.now().getTime(),
  })
  const server = await listenAtHome(spec.socket, { far: acts.far, onOutput: spec.overProtocol ? acts.onOutput : null })
  post({ type: 'started' })
  return {
    over: over.promise.then(async () => {
      await sleep(LINGER_MS)
      rmSync(spec.socket, { force: true })
    }),
    async close() {
      server.close()
      await acts.end()
      keep.end()
    },
  }
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

function keepState(stateDir: string, spawnId: string): Keep & { end(): void } {
  const line = formatIdentity(currentProcess())
  const before = readLineState(stateDir, spawnId) ?? firstState(line)
  const lost = before.connected ? { since: systemClock.now().getTime(), silentSince: null, why: '' } : {}
  let state = { ...before, line, connected: false, ...lost }
  let isEnded = false
  const save = (change: Partial<typeof state>) => {
    // From here on the file is another's.
    if (isEnded) throw new Error('the line was closed')
    const next = { ...state, ...change }
    writeLineState(stateDir, spawnId, next)
    state = next
  }
  save({})
  return {
    state: () => state,
    save,
    end() {
      isEnded = true
    },
  }
}
