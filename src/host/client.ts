// A client's end of the wire: looks at an agent's terminal and types into it. See protocol.ts. A host that an earlier version started
// is spoken to in its own language (old/lines.ts).
import type { Duplex } from 'node:stream'
import type { TerminalSize } from '../contract/terminal-frames.ts'
import type { Seen } from '../slots/agent.ts'
import { readsLines, speakLines } from './old/lines.ts'
import {
  type AgentExit,
  createFrameReader,
  encodeFrame,
  type HostFrame,
  type HostState,
  PROTOCOL_VERSION,
  type ReaderFrame,
  type Took,
  type Wire,
} from './protocol.ts'
import { connectHost, HostRefusedError } from './read.ts'

export interface HostClient {
  state: Pick<HostState, 'name'>
  /** Keys as they are, and text that the application shall have processed. With a key they are entered once. */
  press(keys: string, key?: string): Promise<Took>
  paste(text: string, key?: string): Promise<Took>
  /** The last lines with history; without `lines` what is visible. */
  screen(what?: { lines?: number; styled?: boolean }): Promise<string>
  /** Do the agent's own records show this message? null: nobody can tell. */
  seen(text: string, since: Date, now: Date): Promise<Seen>
  /** Resolves when no process of the agent is left, and how it ended is recorded. */
  stop(graceMs: number): Promise<void>
  /** As a person types: nobody waits for it. */
  type(keys: string): void
  resize(size: TerminalSize): void
  /** From now on the screen comes as data. `answers`: it goes to a terminal that answers the agent's queries. */
  view(answers: boolean): void
  /** The host notices that nobody reads, drops further output, and redraws everything when reading resumes. */
  pause(): void
  resume(): void
  /** Resolves when everything is sent. */
  close(): Promise<void>
  /** At once. Open requests are rejected: whether they were carried out is unknown. */
  drop(why: string): void
}

export interface ClientEvents {
  onData?(data: Buffer): void
  onSize?(size: TerminalSize): void
  onExit?(exit: AgentExit): void
  /** The connection ended, whatever became of the agent. */
  onLost?(why: string): void
}

/** Nothing listens there, so nothing was sent. */
export class NoHostError extends Error {
  override name = 'NoHostError'
}

const OPEN_MS = 5_000

/** Rejects when nothing that follows could be sent: NoHostError, HostRefusedError, or no answer in time. */
export async function openClient(
  socketPath: string,
  events: ClientEvents = {},
  timeoutMs = OPEN_MS,
): Promise<HostClient> {
  const stream = await connectHost(socketPath).catch((error: Error) => {
    throw new NoHostError(error.message, { cause: error })
  })
  return greetHost(stream, events, timeoutMs)
}

/** Opens, asks, closes. */
export async function askHost<T>(
  socketPath: string,
  timeoutMs: number,
  ask: (client: HostClient) => Promise<T>,
): Promise<T> {
  const client = await openClient(socketPath, {}, timeoutMs)
  const timer = setTimeout(() => client.drop(`no answer within ${timeoutMs} ms`), timeoutMs)
  try {
    return await ask(client)
  } finally {
    clearTimeout(timer)
    void client.close()
  }
}

const FRAMES: Wire = { encode: encodeFrame, read: createFrameReader }
const NEWLINE = 0x0a

/** Over any byte stream. */
export function greetHost(stream: Duplex, events: ClientEvents, timeoutMs: number): Promise<HostClient> {
  const { promise, resolve, reject } = Promise.withResolvers<HostClient>()
  let why = 'the host closed the connection'
  let isOpen = false
  const fail = (error: Error) => {
    clearTimeout(timer)
    reject(error)
    stream.destroy()
  }
  const timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  let wire = FRAMES
  let feed: ((chunk: Buffer) => void) | null = null
  let early = Buffer.alloc(0)
  const send = (frame: ReaderFrame, payload?: Buffer) => {
    if (stream.writable) stream.write(wire.encode(frame, payload))
  }
  const requests = createRequests(send)
  const take = (frame: HostFrame, payload: Buffer) => {
    switch (frame.op) {
      case 'state':
        clearTimeout(timer)
        isOpen = true
        return resolve(client(JSON.parse(payload.toString('utf8')) as HostState))
      case 'refused':
        return fail(new HostRefusedError(frame.why, frame.isPassing))
      case 'picture':
      case 'out':
        return events.onData?.(payload)
      case 'size':
        return events.onSize?.({ cols: frame.cols, rows: frame.rows })
      case 'exit':
        return events.onExit?.({ code: frame.code, signal: frame.signal })
      case 'took':
      case 'text':
      case 'seen':
      case 'stopped':
        return requests.settle(frame, payload)
    }
  }
  const client = ({ name }: HostState): HostClient => ({
    state: { name },
    press: (keys, key) => requests.input({ op: 'in', n: requests.next(), key }, keys),
    paste: (text, key) => requests.input({ op: 'paste', n: requests.next(), key }, text),
    screen: async ({ lines, styled } = {}) =>
      (await requests.ask({ op: 'screen', n: requests.next(), lines, styled })).payload.toString('utf8'),
    async seen(text, since, now) {
      const times = { since: since.getTime(), now: now.getTime() }
      const { frame } = await requests.ask({ op: 'seen', n: requests.next(), ...times }, text)
      return frame.op === 'seen' ? frame.seen : null
    },
    stop: async (graceMs) => void (await requests.ask({ op: 'stop', graceMs })),
    type: (keys) => send({ op: 'in' }, Buffer.from(keys)),
    resize: ({ cols, rows }) => send({ op: 'resize', cols, rows }),
    view: (answers) => send({ op: 'view', answers }),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    close: () =>
      new Promise((done) => {
        if (stream.destroyed) return done()
        stream.once('close', () => done())
        stream.resume()
        stream.end(() => stream.destroy())
      }),
    drop(reason) {
      why = reason
      stream.destroy()
    },
  })
  stream.on('data', (chunk: Buffer) => {
    try {
      if (feed) return feed(chunk)
      early = Buffer.concat([early, chunk])
      const end = early.indexOf(NEWLINE)
      if (end === -1) return
      const isOld = readsLines(early.subarray(0, end))
      if (isOld) wire = speakLines((line) => stream.write(line))
      feed = wire.read(take)
      feed(early)
    } catch (error) {
      why = `the host sent something else: ${(error as Error).message}`
      stream.destroy()
    }
  })
  stream.on('error', (error) => {
    why = error.message
    stream.destroy()
  })
  stream.on('end', () => stream.destroy())
  stream.on('close', () => {
    requests.fail(why)
    if (isOpen) events.onLost?.(why)
    else fail(new Error(why))
  })
  send({ op: 'hello', version: PROTOCOL_VERSION })
  return promise
}

interface Answer {
  frame: HostFrame
  payload: Buffer
}

/** A stop has no number: there is one at a time. */
const STOP = 0

function createRequests(send: (frame: ReaderFrame, payload?: Buffer) => void) {
  const open = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>()
  let last = STOP
  let lost: string | null = null
  const ask = (frame: ReaderFrame, text?: string): Promise<Answer> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    if (lost !== null) reject(new Error(lost))
    else open.set('n' in frame ? (frame.n ?? STOP) : STOP, { resolve, reject })
    send(frame, text === undefined ? undefined : Buffer.from(text))
    return promise
  }
  return {
    ask,
    next: () => ++last,
    async input(frame: ReaderFrame, text: string): Promise<Took> {
      const { frame: answer } = await ask(frame, text)
      if (answer.op !== 'took') return { ok: false, why: `the host answered ${answer.op}` }
      const { ok, why, partly, refused } = answer
      return { ok, why, partly, refused }
    },
    settle(frame: HostFrame, payload: Buffer) {
      const n = 'n' in frame ? frame.n : STOP
      open.get(n)?.resolve({ frame, payload })
      open.delete(n)
    },
    fail(why: string) {
      lost = why
      for (const { reject } of open.values()) reject(new Error(why))
      open.clear()
    },
  }
}
