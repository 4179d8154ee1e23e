// Home's end of a channel: HTTP/2 requests to the host in a place.
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { Duplex, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AoError } from '../../../contract/errors.ts'
import { UNREACHABLE_MS } from '../../../core/place/line/judge-line.ts'
import type { Channel } from '../../../slots/place.ts'
import { type Hello, readAll } from '../wire.ts'

export interface Far {
  hello: Hello
  /** Milliseconds to add to the place's times. */
  clockOffset: number
  ask<T>(path: string, body?: unknown, options?: AskOptions): Promise<T>
  /** Raw bytes there, JSON back. */
  send<T>(path: string, body: Readable, options?: AskOptions): Promise<T>
  /** Open in both directions. */
  stream(method: 'GET' | 'POST', path: string): ClientHttp2Stream
  /** With the time at which the place last answered, when it has been silent for some seconds; null: it answers again. */
  onSilence(listener: (since: number | null) => void): void
  /** Resolves with why when the line is lost or closed. */
  closed: Promise<string>
  close(): void
}

interface AskOptions {
  timeoutMs?: number
}

const PING_EVERY_MS = 2_000
const PING_LATE_MS = 15_000
const HELLO_MS = 20_000

/** Throws when no host answers; the error's `exitCode` is the program's: 3 means that none listens. */
export async function openFar(channel: Channel): Promise<Far> {
  const session = connect('http://place', {
    createConnection: () => duplexOf(channel),
    settings: { initialWindowSize: 1024 * 1024 },
  })
  let why = ''
  session.on('error', (error) => {
    why ||= error.message
  })
  const closed = new Promise<string>((resolve) => {
    session.on('close', () => {
      channel.close()
      void channel.ended.then(({ said }) => resolve(said.trim() || why || 'the connection was closed'))
    })
  })
  void channel.ended.then(() => session.destroy())
  const far: Omit<Far, 'hello' | 'clockOffset' | 'onSilence'> = {
    ask: (path, body, options) => ask(session, path, body, options),
    send: (path, body, options) => send(session, path, body, options),
    stream: (method, path) => request(session, method, path),
    closed,
    close: () => session.destroy(),
  }
  try {
    const asked = performance.now()
    const hello = await ask<Hello>(session, '/hello', undefined, { timeoutMs: HELLO_MS })
    const clockOffset = Date.now() - (performance.now() - asked) / 2 - hello.now
    const listeners: Array<(since: number | null) => void> = []
    keepAlive(session, (since) => listeners.forEach((listener) => void listener(since)))
    return { ...far, onSilence: (listener) => void listeners.push(listener), hello, clockOffset }
  } catch (error) {
    session.destroy()
    const { exitCode, said } = await channel.ended
    throw new AoError('PLACE_UNREACHABLE', `No host answers in the place: ${said.trim() || String(error)}`, {
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

function request(session: ClientHttp2Session, method: string, path: string): ClientHttp2Stream {
  const stream = session.request({ ':method': method, ':path': path }, { endStream: method === 'GET' })
  // Whoever reads it sees the end; an error must not end the process.
  stream.on('error', () => undefined)
  return stream
}

async function ask<T>(
  session: ClientHttp2Session,
  path: string,
  body: unknown,
  { timeoutMs = 30_000 }: AskOptions = {},
): Promise<T> {
  const stream = request(session, body === undefined ? 'GET' : 'POST', path)
  if (body !== undefined) stream.end(JSON.stringify(body))
  return answerOf<T>(stream, timeoutMs)
}

async function send<T>(
  session: ClientHttp2Session,
  path: string,
  body: Readable,
  { timeoutMs = 600_000 }: AskOptions = {},
): Promise<T> {
  const stream = request(session, 'POST', path)
  const sent = pipeline(body, stream).catch(() => undefined)
  const answer = await answerOf<T>(stream, timeoutMs, body)
  await sent
  return answer
}

/** The host's refusal is an error with its words. */
async function answerOf<T>(stream: ClientHttp2Stream, timeoutMs: number, body?: Readable): Promise<T> {
  const timer = setTimeout(() => stream.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)
  // However large it is: as long as something of it is taken, nothing is late.
  body?.on('data', () => timer.refresh())
  try {
    const status = await statusOf(stream)
    const text = (await readAll(stream)).toString('utf8')
    const said = JSON.parse(text === '' ? 'null' : text) as T & { error?: string }
    if (status === 200) return said
    throw new AoError('PLACE_FAILED', String(said?.error ?? `the host answered ${status}`))
  } finally {
    clearTimeout(timer)
  }
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
