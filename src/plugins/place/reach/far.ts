// Home's end of a channel: HTTP/2 requests to the host in a place.
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { Duplex, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AoError } from '../../../contract/errors.ts'
import { UNREACHABLE_MS } from '../../../core/place/line/judge-line.ts'
import { fillRoute } from '../../../core/text/route-request.ts'
import type { Channel } from '../../../slots/place.ts'
import type { Hello } from '../far-contract.ts'
import { FAR_SCHEMAS, type FarAnswer, type FarAsk, type FarRoute } from '../far-routes.ts'
import { readAll } from '../wire.ts'

export interface Far {
  hello: Hello
  /** Milliseconds to add to the place's times. */
  clockOffset: number
  /** JSON in both directions; the answer is checked. */
  ask<N extends FarRoute>(name: N, ask: FarAsk<N>, options?: AskOptions): Promise<FarAnswer<N>>
  /** Raw bytes there, JSON back. */
  send<N extends FarRoute>(name: N, body: Readable, options?: SendOptions): Promise<FarAnswer<N>>
  /** Open in both directions. */
  stream<N extends FarRoute>(name: N, ask: FarAsk<N>): ClientHttp2Stream
  /** With the time at which the place last answered, when it has been silent for some seconds; null: it answers again. */
  onSilence(listener: (since: number | null) => void): void
  /** Resolves with why when the line is lost or closed. */
  closed: Promise<string>
  close(): void
}

interface AskOptions {
  timeoutMs?: number
}

interface SendOptions extends AskOptions {
  query?: object
}

const PING_EVERY_MS = 2_000
const PING_LATE_MS = 15_000
const HELLO_MS = 20_000
const LONGEST_REFUSAL = 4_000
/** Of an answer that is not a stream. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Requests that a place may leave unanswered; the line of one that leaves more is opened again. */
const MAX_OPEN = 400
const open = new WeakMap<ClientHttp2Session, number>()

/** Throws when no host answers; the error's `exitCode` is the program's: 3 means that none listens. */
export async function openFar(channel: Channel): Promise<Far> {
  const session = connect('http://place', {
    createConnection: () => duplexOf(channel),
    settings: { initialWindowSize: 1024 * 1024, enablePush: false },
  })
  let why = ''
  session.on('error', (error) => {
    why ||= error.message
  })
  const closed = new Promise<string>((resolve) => {
    session.on('close', () => {
      channel.close()
      void channel.ended.then(({ stderr }) => resolve(stderr.trim() || why || 'the connection was closed'))
    })
  })
  void channel.ended.then(() => session.destroy())
  const far: Omit<Far, 'hello' | 'clockOffset' | 'onSilence'> = {
    ask: (name, about, options) => ask(session, name, about, options),
    send: (name, body, options) => send(session, name, body, options),
    stream: (name, about) => request(session, name, about),
    closed,
    close: () => session.destroy(),
  }
  try {
    const sentAt = performance.now()
    const hello = await ask(session, 'GET /hello', {}, { timeoutMs: HELLO_MS })
    const clockOffset = Date.now() - (performance.now() - sentAt) / 2 - hello.now
    const listeners: Array<(since: number | null) => void> = []
    keepAlive(session, (since) => listeners.forEach((listener) => void listener(since)))
    return { ...far, onSilence: (listener) => void listeners.push(listener), hello, clockOffset }
  } catch (error) {
    session.destroy()
    const { exitCode, stderr } = await channel.ended
    throw new AoError('PLACE_UNREACHABLE', `No host answers in the place: ${stderr.trim() || String(error)}`, {
      details: { exitCode },
    })
  }
}

function keepAlive(session: ClientHttp2Session, onSilence: (since: number | null) => void): void {
  let pinged = performance.now()
  let isSilent = false
  const timer = setInterval(() => {
    if (session.destroyed) return clearInterval(timer)
    const silence = performance.now() - pinged
    if (silence > PING_LATE_MS) return session.destroy(new Error('the line is dead'))
    if (silence > UNREACHABLE_MS && !isSilent) {
      isSilent = true
      onSilence(Math.round(Date.now() - silence))
    }
    session.ping((error) => {
      if (error) return
      pinged = performance.now()
      if (!isSilent) return
      isSilent = false
      onSilence(null)
    })
  }, PING_EVERY_MS)
  timer.unref()
  session.on('close', () => clearInterval(timer))
}

function request<N extends FarRoute>(session: ClientHttp2Session, name: N, about: object): ClientHttp2Stream {
  const { query } = about as { query?: Record<string, string | number | undefined> }
  const { method, path } = fillRoute(name, { query })
  const stream = session.request({ ':method': method, ':path': path }, { endStream: method === 'GET' })
  // Whoever reads it sees the end; an error must not end the process.
  stream.on('error', () => undefined)
  const count = (by: number) => open.set(session, (open.get(session) ?? 0) + by).get(session)!
  stream.once('close', () => count(-1))
  if (count(1) > MAX_OPEN) session.destroy(new Error(`the place left ${MAX_OPEN} requests unanswered`))
  return stream
}

async function ask<N extends FarRoute>(
  session: ClientHttp2Session,
  name: N,
  about: object,
  { timeoutMs = 30_000 }: AskOptions = {},
): Promise<FarAnswer<N>> {
  const stream = request(session, name, about)
  if (name.startsWith('POST ')) stream.end(JSON.stringify((about as { body?: unknown }).body ?? {}))
  return answerOf(name, stream, timeoutMs)
}

async function send<N extends FarRoute>(
  session: ClientHttp2Session,
  name: N,
  body: Readable,
  { timeoutMs = 600_000, query }: SendOptions = {},
): Promise<FarAnswer<N>> {
  const stream = request(session, name, { query })
  const sent = pipeline(body, stream).catch(() => undefined)
  const answer = await answerOf(name, stream, timeoutMs, body)
  await sent
  return answer
}

/** The host's refusal is an error with its words; an answer that does not fit its row is one, too. */
async function answerOf<N extends FarRoute>(
  name: N,
  stream: ClientHttp2Stream,
  timeoutMs: number,
  body?: Readable,
): Promise<FarAnswer<N>> {
  const timer = setTimeout(() => stream.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)
  // However large it is: as long as something of it is taken, nothing is late.
  body?.on('data', () => timer.refresh())
  try {
    const status = await statusOf(stream)
    const text = (await readAll(stream, MAX_ANSWER_BYTES)).toString('utf8')
    const answer: unknown = JSON.parse(text === '' ? 'null' : text)
    if (status !== 200) throw new AoError('PLACE_FAILED', refusalOf(answer) ?? `the host answered ${status}`)
    const checked = FAR_SCHEMAS.get(name)?.answer?.safeParse(answer)
    if (checked?.success) return checked.data as FarAnswer<N>
    throw new AoError('PLACE_FAILED', `The place answered ${name} with something else than ao expects`)
  } finally {
    clearTimeout(timer)
  }
}

function refusalOf(answer: unknown): string | null {
  const error = answer !== null && typeof answer === 'object' && 'error' in answer ? answer.error : null
  return typeof error === 'string' ? error.slice(0, LONGEST_REFUSAL) : null
}

export function statusOf(stream: ClientHttp2Stream): Promise<number> {
  return new Promise((resolve, reject) => {
    stream.on('response', (headers) => resolve(Number(headers[':status'])))
    stream.on('error', reject)
    stream.on('close', () => reject(new AoError('PLACE_UNREACHABLE', 'The line to the place was lost')))
  })
}

function duplexOf({ stdin, stdout, close }: Channel): Duplex {
  const duplex = new Duplex({
    read: () => void stdout.resume(),
    write: (chunk, _encoding, done) => void stdin.write(chunk, () => done()),
    final: (done) => void stdin.end(() => done()),
    destroy(error, done) {
      close()
      done(error)
    },
  })
  stdout.on('data', (chunk: Buffer) => {
    if (!duplex.push(chunk)) stdout.pause()
  })
  stdout.on('end', () => duplex.push(null))
  stdout.on('error', () => duplex.push(null))
  return duplex
}
