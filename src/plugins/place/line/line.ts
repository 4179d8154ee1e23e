// The line to one session in a place: keeps a channel open for as long as the session lives, passes terminals on, brings work and
// facts home, and answers what the agent asks of home. It may be lost at any moment: whoever needs it opens it again, and it
// continues from the last number that it read. What it does is decided in core/place/line.

import { AsyncResource } from 'node:async_hooks'
import { createServer, type Server, type Socket } from 'node:net'
import { driveLine } from '../../../core/place/line/drive-line.ts'
import { listenPrivately, refuse } from '../../../host/serve.ts'
import { sleep, systemClock } from '../../../lib/clock.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import { removeFile } from '../../../lib/remove.ts'
import type { PlaceEngine } from '../../../slots/place.ts'
import { type LineSpec, readLineState, writeLineState } from '../home/line-files.ts'
import type { Far } from '../reach/far.ts'
import { joinStreams } from '../wire.ts'
import { firstState, type Keep } from '../work/bring-home.ts'
import { createActs } from './line-acts.ts'

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
      removeFile(spec.socket)
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

/** A line that is just being opened, or opened again. */
const WAIT_MS = 3_000

interface Relay {
  far(): Far | null
  /** The agent speaks the protocol: its pipes are passed on, and this is called with what it says. */
  onOutput: ((chunk: Buffer) => void) | null
}

/** Whoever connects speaks with the host in the place, as with a host on this machine. */
function listenAtHome(socketPath: string, relay: Relay): Promise<Server> {
  return listenPrivately(
    socketPath,
    // A connection begins without the context of the line that it is for.
    createServer(AsyncResource.bind((socket: Socket) => void accept(socket, relay))),
  )
}

async function accept(socket: Socket, { far: current, onOutput }: Relay): Promise<void> {
  // A client may disappear at any moment; its socket closes and that is all.
  socket.on('error', () => socket.destroy())
  socket.pause()
  for (let waited = 0; current() === null && waited < WAIT_MS && !socket.destroyed; waited += 50) await sleep(50)
  const far = current()
  if (onOutput) relayPipes(socket, far, onOutput)
  else relayTerminal(socket, far)
}

function relayTerminal(socket: Socket, far: Far | null): void {
  if (far === null) {
    // Nothing was passed on, and the client learns exactly that.
    refuse(socket, 'the place cannot be reached now', true)
    return
  }
  const stream = far.stream('POST /terminal', {})
  stream.on('response', (headers) => {
    if (headers[':status'] === 200) return
    refuse(socket, 'its terminal is gone')
  })
  socket.pipe(stream)
  stream.pipe(socket)
  stream.on('close', () => socket.end())
  socket.on('close', () => stream.close())
}

/** Whoever reads them comes back with the place where it was, so a closed socket is answer enough. */
function relayPipes(socket: Socket, far: Far | null, onOutput: (chunk: Buffer) => void): void {
  if (far === null) return void socket.destroy()
  const stream = far.stream('POST /pipes', {})
  stream.on('response', (headers) => {
    if (headers[':status'] !== 200) return void socket.destroy()
    stream.on('data', onOutput)
    joinStreams(socket, stream)
  })
  stream.on('close', () => socket.destroy())
  socket.on('close', () => stream.close())
}
