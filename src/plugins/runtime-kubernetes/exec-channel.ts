// A program in a pod, over the API server's exec stream: a WebSocket on which the first byte of each message says what the
// rest is. https://kubernetes.io/docs/reference/using-api/ ("v5.channel.k8s.io")
import { Readable, Writable } from 'node:stream'
import type { RawData } from 'ws'
import { AoError } from '../../contract/errors.ts'
import type { Channel } from '../../slots/place.ts'
import { type Api, readRefusal, unreachable } from './api.ts'

const STDIN = 0
const STDOUT = 1
const STDERR = 2
const STATUS = 3
/** Only in version 5: the end of one of the streams. Without it an input cannot be ended. */
const CLOSE = 255

const PROTOCOL = 'v5.channel.k8s.io'
const OLDER = 'v4.channel.k8s.io'
const KEPT = 4_000
const OPEN_MS = 20_000
/** The server reads each message whole. */
const MESSAGE = 32 * 1024

export interface PodExec {
  /** Of the pod, in the API. */
  path: string
  container: string
}

export async function execChannel(api: Api, where: PodExec, command: readonly string[]): Promise<Channel> {
  const { WebSocket } = await import('ws')
  const query = new URLSearchParams({ container: where.container, stdin: 'true', stdout: 'true', stderr: 'true' })
  for (const word of command) query.append('command', word)
  const { url, options } = await api.connection(`${where.path}/exec?${query}`)
  const socket = new WebSocket(url.href.replace(/^http/, 'ws'), [PROTOCOL, OLDER], {
    ...(options as object),
    handshakeTimeout: OPEN_MS,
    perMessageDeflate: false,
  })
  let stderr = ''
  let exitCode: number | null = null
  let lost = 'the connection was closed'

  const stdout = new Readable({ read: () => socket.resume() })
  socket.on('message', (data: RawData) => {
    const bytes = data as Buffer
    const rest = bytes.subarray(1)
    if (bytes[0] === STDOUT && !stdout.push(rest)) socket.pause()
    if (bytes[0] === STDERR) stderr = (stderr + rest.toString('utf8')).slice(-KEPT)
    if (bytes[0] === STATUS) {
      const status = readStatus(rest.toString('utf8'))
      exitCode = status.exitCode
      lost = ''
      if (exitCode === null) stderr += status.message
    }
  })

  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length || at === 0; at += MESSAGE) {
        const part = chunk.subarray(at, at + MESSAGE)
        const isLast = at + MESSAGE >= chunk.length
        // An error shows in `ended`; whoever writes need not hear of it twice.
        socket.send(Buffer.concat([Buffer.from([STDIN]), part]), () => isLast && done())
      }
    },
    final(done) {
      socket.send(Buffer.from([CLOSE, STDIN]), () => done())
    },
  })

  const ended = new Promise<{ exitCode: number | null; stderr: string }>((resolve) => {
    socket.on('close', () => {
      stdout.push(null)
      resolve({ exitCode, stderr: stderr || lost })
    })
  })
  socket.on('error', (error) => {
    lost = error.message
  })
  await opened(socket, api)
  if (socket.protocol !== PROTOCOL) {
    socket.terminate()
    throw new AoError('PLACE_FAILED', 'The cluster is too old: its exec streams cannot say where an input ends', {
      hint: 'ao needs Kubernetes 1.30 or newer',
    })
  }
  return { stdin, stdout, ended, close: () => socket.terminate() }
}

/** Throws what the server said instead. */
function opened(socket: import('ws').WebSocket, api: Api): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', (error) => reject(unreachable(api.access, error)))
    socket.once('unexpected-response', (request, answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('close', () => {
        reject(readRefusal(answer.statusCode ?? 0, Buffer.concat(chunks).toString('utf8')))
        request.destroy()
      })
    })
  })
}

interface ExecStatus {
  exitCode: number | null
  message: string
}

function readStatus(text: string): ExecStatus {
  try {
    const status = JSON.parse(text) as {
      status?: string
      reason?: string
      message?: string
      details?: { causes?: Array<{ reason?: string; message?: string }> }
    }
    if (status.status === 'Success') return { exitCode: 0, message: '' }
    const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message
    const exitCode = status.reason === 'NonZeroExitCode' && code !== undefined ? Number.parseInt(code, 10) : null
    return { exitCode, message: status.message ?? text }
  } catch {
    return { exitCode: null, message: text }
  }
}
