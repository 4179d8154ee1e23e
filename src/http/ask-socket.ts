// One request over a Unix socket and its whole response, as HTTP/1.0 over node:net. Loading node:http costs 38 ms of CPU,
// node:net 3 and starting Node itself 21 (Node 24), so a short command would take twice as long; streams do use node:http.
import { connect } from 'node:net'
import { withSocketPath } from '../lib/process/socket-path.ts'

export interface Question {
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
  signal: AbortSignal | undefined
  /** Rejects when not even the beginning of a response is there by then. */
  beginsWithinMs?: number
}

export interface Answer {
  status: number
  /** null: it has no such header. */
  header(name: string): string | null
  /** The body as it came: a list of ten thousand sessions is passed on without being read. */
  pieces: Buffer[]
  /** The body, decoded when it is asked for. */
  readonly text: string
}

/** Rejects when the response is incomplete. */
export async function askSocket(path: string, question: Question): Promise<Answer> {
  const text = writeQuestion(question)
  return withSocketPath(path, (short) => ask(short, question, text))
}

function ask(path: string, question: Question, text: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    const stop = () => socket.destroy(question.signal?.reason)
    const chunks: Buffer[] = []
    if (question.signal?.aborted) stop()
    question.signal?.addEventListener('abort', stop, { once: true })
    const late = limitWait(question.beginsWithinMs, () => socket.destroy(new Error('nothing came in time')))
    socket.on('data', (chunk: Buffer) => {
      late.end()
      chunks.push(chunk)
    })
    socket.once('error', reject)
    socket.once('close', () => {
      late.end()
      question.signal?.removeEventListener('abort', stop)
      try {
        resolve(readAnswer(chunks))
      } catch (error) {
        reject(error)
      }
    })
    socket.write(text)
  })
}

function limitWait(ms: number | undefined, giveUp: () => void): { end(): void } {
  const timer = ms === undefined ? undefined : setTimeout(giveUp, ms)
  return { end: () => clearTimeout(timer) }
}

/** HTTP/1.0: the response is not chunked, and the connection closes after it. */
function writeQuestion({ method, path, headers, body }: Question): string {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  if (/[\r\n ]/.test(path) || Object.values(headers).some((value) => /[\r\n]/.test(value))) {
    throw new Error('a request must not hold line breaks')
  }
  const lines = Object.entries({ ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.0\r\nhost: localhost\r\n${lines.join('')}\r\n${body ?? ''}`
}

const HEAD_END = '\r\n\r\n'

function readAnswer([first = Buffer.alloc(0), ...rest]: Buffer[]): Answer {
  const end = first.indexOf(HEAD_END)
  const next = rest[0]
  if (end === -1 && next) return readAnswer([Buffer.concat([first, next]), ...rest.slice(1)])
  const pieces = [first.subarray(end + HEAD_END.length), ...rest]
  // Only says that the response is on its way.
  if (end !== -1 && /^HTTP\/1\.1 1\d\d/.test(first.toString('latin1', 0, 12))) return readAnswer(pieces)
  const head = first.toString('latin1', 0, Math.max(0, end))
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  const received = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (end === -1 || status === undefined || (length !== undefined && Number(length) !== received)) {
    throw Object.assign(new Error('the server ended before its answer was complete'), { code: 'ECONNRESET' })
  }
  return {
    status: Number(status),
    header: (name) => new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head)?.[1] ?? null,
    pieces,
    get text() {
      return Buffer.concat(pieces).toString('utf8')
    },
  }
}
