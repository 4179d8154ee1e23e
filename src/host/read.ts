// A reader's end of the wire, over any byte stream. See protocol.ts.
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { withSocketPath } from '../lib/process/socket-path.ts'
import {
  type AgentExit,
  createFrameReader,
  encodeFrame,
  type HostFrame,
  type HostState,
  PROTOCOL_VERSION,
  type ReaderFrame,
  type Took,
} from './protocol.ts'

export interface HostEvents {
  /** Output from offset `at` on. Held back while the link is paused. */
  onOutput(chunk: Buffer, at: number): void
  onError(chunk: Buffer, total: number): void
  /** All output that there will ever be has been seen. */
  onClosed(): void
  onExit(exit: AgentExit): void
  /** The link is gone. */
  onLost(why: string, loss: Loss): void
}

/** `unreachable`: the agent may well be alive, and its host too. `replaced`: another reader took over. `ended`: nothing more can be read. */
export type Loss = 'unreachable' | 'replaced' | 'ended'

export interface HostLink {
  state: HostState
  /** While paused no output arrives, and the agent waits when its output is not taken elsewhere either. */
  pause(): void
  resume(): void
  /** Resolves when the agent's pipe has it; rejects when it never will, or when the link is lost. */
  write(bytes: Buffer, key?: string): Promise<void>
  /** Resolves when little is on its way to the agent, or when it has stopped reading. */
  drained(): Promise<void>
  /** Output that was recorded durably is dropped there. */
  commit(to: number, forget?: readonly string[]): void
  endInput(): void
  /** Resolves with the processes that could not be ended. */
  stop(graceMs: number): Promise<string[]>
  /** The end of the agent was recorded: the host removes its files and exits. */
  leave(): void
  close(): void
}

/** How far the host may send ahead of what was taken here. */
const WINDOW = 256 * 1024

/** Nothing was passed on. */
export class HostRefusedError extends Error {
  override name = 'HostRefusedError'
  /** It may work in a moment. */
  readonly isPassing: boolean
  constructor(why: string, isPassing = false) {
    super(why)
    this.isPassing = isPassing
  }
}

/** A socket that is not there, or that nobody listens on, rejects with ENOENT or ECONNREFUSED. */
export function connectHost(socketPath: string): Promise<Duplex> {
  return withSocketPath(
    socketPath,
    (path) =>
      new Promise((resolve, reject) => {
        const socket = connect(path)
        socket.once('error', reject)
        socket.once('connect', () => {
          socket.off('error', reject)
          resolve(socket)
        })
      }),
  )
}

/** Resolves when the host has said who it is. Output comes after `resume`. */
export function readHost(stream: Duplex, after: number, events: HostEvents, timeoutMs = 10_000): Promise<HostLink> {
  const { promise, resolve, reject } = Promise.withResolvers<HostLink>()
  const timer = setTimeout(() => fail(new Error(`the host did not answer within ${timeoutMs} ms`)), timeoutMs)
  let isOpen = false
  let isLost = false
  let why = 'the connection to the host ended'
  let loss: Loss = 'unreachable'
  const fail = (error: Error) => {
    clearTimeout(timer)
    stream.destroy()
    reject(error)
  }
  const send = (frame: ReaderFrame, payload?: Buffer) => {
    if (stream.writable) stream.write(encodeFrame(frame, payload))
  }
  const output = createOutput(after, events, (to) => send({ op: 'read', to }))
  const writes = createWrites(send)
  const stops: Array<(left: string[]) => void> = []
  const lose = () => {
    if (isLost) return
    isLost = true
    if (!isOpen) return fail(new Error(why))
    writes.fail(why)
    for (const done of stops.splice(0)) done([])
    events.onLost(why, loss)
  }
  const take = (frame: HostFrame, payload: Buffer) => {
    switch (frame.op) {
      case 'state': {
        clearTimeout(timer)
        isOpen = true
        return resolve(link(JSON.parse(payload.toString('utf8')) as HostState))
      }
      case 'out':
        return output.push(payload, frame.at)
      case 'err':
        return events.onError(payload, frame.total)
      case 'took':
        return writes.settle(frame.n, frame)
      case 'closed':
        return output.then(() => events.onClosed())
      case 'exit':
        return output.then(() => events.onExit({ code: frame.code, signal: frame.signal }))
      case 'stopped':
        return stops.shift()?.(frame.left)
      case 'refused':
        return fail(new HostRefusedError(frame.why, frame.isPassing))
      case 'replaced':
        why = 'another reader took over'
        loss = 'replaced'
        return
    }
  }
  const link = (state: HostState): HostLink => ({
    state,
    pause: output.pause,
    resume: output.resume,
    write: (bytes, key) => (isLost ? Promise.reject(new Error(why)) : writes.send(bytes, key)),
    drained: writes.drained,
    commit: (to, forget) => send({ op: 'commit', to, forget }),
    endInput: () => send({ op: 'end-input' }),
    stop(graceMs) {
      if (isLost) return Promise.resolve([])
      send({ op: 'stop', graceMs })
      return new Promise((done) => stops.push(done))
    },
    leave: () => send({ op: 'leave' }),
    close: () => stream.end(),
  })
  const feed = createFrameReader<HostFrame>(take)
  stream.on('data', (chunk: Buffer) => {
    try {
      feed(chunk)
    } catch (error) {
      why = `the host sent something else: ${(error as Error).message}`
      stream.destroy()
    }
  })
  stream.on('error', (error) => {
    why = `the connection to the host failed: ${error.message}`
    stream.destroy()
  })
  stream.on('end', () => stream.destroy())
  stream.on('close', lose)
  send({ op: 'hello', version: PROTOCOL_VERSION, after })
  return promise
}

/** Output in its order; more is asked for as it is taken. */
function createOutput(after: number, events: HostEvents, allow: (to: number) => void) {
  const waiting: Array<() => void> = []
  let isPaused = true
  let taken = after
  let allowed = after
  const ask = () => {
    if (isPaused || allowed - taken > WINDOW / 2) return
    allowed = taken + WINDOW
    allow(allowed)
  }
  let isRunning = false
  const run = () => {
    // Whoever takes output may pause and resume meanwhile.
    if (isRunning) return
    isRunning = true
    while (!isPaused && waiting.length > 0) waiting.shift()!()
    isRunning = false
    ask()
  }
  const then = (act: () => void) => {
    waiting.push(act)
    run()
  }
  return {
    push(chunk: Buffer, at: number) {
      then(() => {
        taken = at + chunk.length
        events.onOutput(chunk, at)
      })
    },
    then,
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      run()
    },
  }
}

/** More than this on its way to the agent, and whoever writes waits. */
export const MAX_UNWRITTEN = 64 * 1024

function createWrites(send: (frame: ReaderFrame, payload: Buffer) => void) {
  const open = new Map<number, { bytes: number; resolve(): void; reject(error: Error): void }>()
  let next = 1
  let unwritten = 0
  let last: Promise<unknown> = Promise.resolve()
  const settle = (n: number, error: Error | null) => {
    const one = open.get(n)
    if (!one) return
    open.delete(n)
    unwritten -= one.bytes
    if (error) one.reject(error)
    else one.resolve()
  }
  return {
    send(bytes: Buffer, key: string | undefined): Promise<void> {
      const n = next++
      unwritten += bytes.length
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      open.set(n, { bytes: bytes.length, resolve, reject })
      send({ op: 'in', n, key }, bytes)
      last = promise.catch(() => undefined)
      return promise
    },
    settle: (n: number, { ok, why = 'the agent takes no more input' }: Took) => settle(n, ok ? null : new Error(why)),
    fail(why: string) {
      for (const n of [...open.keys()]) settle(n, new Error(why))
    },
    async drained() {
      if (unwritten > MAX_UNWRITTEN) await last
    },
  }
}
