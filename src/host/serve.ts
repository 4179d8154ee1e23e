// The host's end of the wire: one reader at a time, served from the spool at its own pace, and any number of clients.
import { chmodSync } from 'node:fs'
import type { Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { withSocketPath } from '../lib/process/socket-path.ts'
import { removeFile } from '../lib/remove.ts'
import type { Inbox } from './inbox.ts'
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
import { obeyClient, type ServedTerminal } from './serve-terminal.ts'
import type { Spool } from './spool.ts'

/** What frames act upon. */
export interface Hosted {
  /** Without what only the connection knows. */
  state(): Omit<HostState, 'version' | 'epoch' | 'begin' | 'end'>
  inbox: Inbox
  /** `byHand`: typed by a person. */
  write(bytes: Buffer, byHand: boolean): Promise<Took>
  stop(graceMs: number): Promise<string[]>
  /** Resolves when the agent has ended and that is recorded. */
  ended: Promise<AgentExit>
  /** For readers. Absent: the agent has a terminal. */
  pipes?: ServedPipes | undefined
  terminal?: ServedTerminal | undefined
}

export interface ServedPipes {
  spool: Spool
  /** Output was sent or committed, or the reader is gone. */
  onRoom(): void
  endInput(): void
  leave(): void
  /** The last frames, each once everything before its offset has been sent. */
  endings(): Array<{ at: number; frame: HostFrame }>
}

export interface Readers {
  accept(stream: Duplex): void
  /** Something new is in the spool; `chunk` is its newest part, if at hand. */
  pump(chunk?: Buffer, at?: number): void
  sendError(chunk: Buffer, total: number): void
  /** A reader does not keep up: the agent waits for it. Without one it may run ahead, as far as the spool allows. */
  isBehind(): boolean
}

const MAX_PIECE = 256 * 1024
const MAX_LEAD = 256 * 1024
const MAX_CONNECTIONS = 64

interface Reader {
  stream: Duplex
  /** The next byte to be sent, and the offset before which sending is allowed. */
  sent: number
  allowed: number
  /** The endings it has been sent. */
  ended: Set<HostFrame>
}

/** On a socket that only its owner can connect to. */
export function listenPrivately<S extends Server>(socketPath: string, server: S): Promise<S> {
  server.maxConnections = MAX_CONNECTIONS
  removeFile(socketPath)
  return withSocketPath(
    socketPath,
    (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        // Nobody else may connect, not even for the moment before its mode is set.
        const mask = process.umask(0o177)
        server.listen(path, () => {
          chmodSync(socketPath, 0o600)
          // A connection that cannot be accepted is for its sender to repeat; the agent must not end with its host.
          server.on('error', () => undefined)
          resolve(server)
        })
        process.umask(mask)
      }),
  )
}

/** Apart from the socket, so that any byte stream will do, and tests can cut it at any byte. */
export function createReaders(hosted: Hosted): Readers {
  const { pipes, inbox } = hosted
  const clients = new WeakSet<Duplex>()
  let current: Reader | null = null
  let epoch = 0

  const greet = (stream: Duplex, { version, after }: Extract<ReaderFrame, { op: 'hello' }>) => {
    if (version !== PROTOCOL_VERSION) return refuse(stream, `this host speaks version ${PROTOCOL_VERSION}`)
    if (after === undefined) return greetClient(stream)
    if (!pipes) return refuse(stream, 'its agent has a terminal; there is nothing to read from an offset')
    const { spool } = pipes
    if (!(after >= spool.begin() && after <= spool.end())) {
      return refuse(stream, `output is kept from ${spool.begin()} to ${spool.end()}, not from ${after}`)
    }
    if (current && current.stream !== stream) {
      send(current.stream, { op: 'replaced' })
      current.stream.end()
    }
    epoch++
    current = { stream, sent: after, allowed: after, ended: new Set() }
    sendState(stream, hosted.state())
  }

  const greetClient = (stream: Duplex) => {
    clients.add(stream)
    sendState(stream, { ...hosted.state(), keep: null })
    void hosted.ended.then((exit) => {
      send(stream, { op: 'exit', ...exit })
      stream.end()
    })
  }

  const sendState = (stream: Duplex, state: ReturnType<Hosted['state']>) => {
    const output = pipes?.spool ?? hosted.terminal?.agent.output
    const kept = { begin: output?.begin() ?? 0, end: output?.end() ?? 0 }
    const whole: HostState = { version: PROTOCOL_VERSION, epoch, ...kept, ...state }
    send(stream, { op: 'state' }, Buffer.from(JSON.stringify(whole)))
  }

  const obey = (stream: Duplex, frame: ReaderFrame, payload: Buffer) => {
    if (frame.op === 'hello') return greet(stream, frame)
    const isReader = current?.stream === stream
    // Frames of a reader that was replaced while they were on their way, or of somebody who never said hello.
    if (!isReader && !clients.has(stream)) return
    if (frame.op === 'in') return write(stream, frame, payload)
    if (frame.op === 'stop') {
      void hosted.stop(frame.graceMs).then((left) => send(stream, { op: 'stopped', left }))
      return
    }
    if (isReader && pipes) return obeyReader(pipes, current!, frame)
    if (hosted.terminal) obeyClient(stream, { ...hosted.terminal, inbox, send }, frame, payload)
  }

  const write = (stream: Duplex, { n, key }: Extract<ReaderFrame, { op: 'in' }>, payload: Buffer) => {
    const written = inbox.take(key, () => hosted.write(payload, n === undefined))
    if (n !== undefined) void written.then((took) => send(stream, { op: 'took', n, ...took }))
  }

  const obeyReader = (served: ServedPipes, reader: Reader, frame: ReaderFrame) => {
    switch (frame.op) {
      case 'read':
        reader.allowed = Math.max(reader.allowed, frame.to)
        pump()
        return served.onRoom()
      case 'commit':
        served.spool.commit(frame.to)
        inbox.forget(frame.forget ?? [])
        return served.onRoom()
      case 'end-input':
        return served.endInput()
      case 'leave':
        return served.leave()
    }
  }

  const pump = (chunk?: Buffer, at?: number) => {
    if (!current || !pipes) return
    const { spool } = pipes
    const limit = () => Math.min(spool.end(), current!.allowed)
    if (chunk && current.sent === at) sendOutput(current, chunk.subarray(0, Math.max(0, limit() - current.sent)))
    while (current.sent < limit()) {
      sendOutput(current, spool.read(current.sent, Math.min(MAX_PIECE, limit() - current.sent)))
    }
    for (const { at: offset, frame } of pipes.endings()) {
      if (offset > current.sent || current.ended.has(frame)) continue
      current.ended.add(frame)
      send(current.stream, frame)
    }
  }

  return {
    accept(stream) {
      // Whoever connects may vanish at any moment; the next one continues.
      stream.on('error', () => stream.destroy())
      stream.on('close', () => {
        if (current?.stream !== stream) return
        current = null
        pipes?.onRoom()
      })
      const feed = createFrameReader<ReaderFrame>((frame, payload) => obey(stream, frame, payload))
      stream.on('data', (chunk: Buffer) => {
        try {
          feed(chunk)
        } catch {
          // Not this protocol.
          stream.destroy()
        }
      })
    },
    pump,
    isBehind: () => current !== null && pipes !== undefined && pipes.spool.end() - current.sent >= MAX_LEAD,
    sendError(chunk, total) {
      // Only evidence: a reader that does not keep up gets the tail when it is needed.
      if (current && !current.stream.writableNeedDrain) send(current.stream, { op: 'err', total }, chunk)
    },
  }
}

function sendOutput(reader: Reader, chunk: Buffer): void {
  if (chunk.length === 0) return
  send(reader.stream, { op: 'out', at: reader.sent }, chunk)
  reader.sent += chunk.length
}

/** Nothing was passed on. `isPassing`: it may work in a moment. */
export function refuse(stream: Duplex, why: string, isPassing?: boolean): void {
  send(stream, { op: 'refused', why, isPassing })
  stream.end()
}

function send(stream: Duplex, frame: HostFrame, payload?: Buffer): void {
  if (stream.writable) stream.write(encodeFrame(frame, payload))
}
