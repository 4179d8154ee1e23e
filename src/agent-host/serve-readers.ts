// The host's end of the wire: one reader at a time, served from the spool at its own pace.
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { withSocketPath } from '../http/socket-path.ts'
import {
  createFrameReader,
  encodeFrame,
  type HostFrame,
  type HostState,
  PROTOCOL_VERSION,
  type ReaderFrame,
} from './protocol.ts'
import type { Spool } from './spool.ts'

/** What the frames of a reader act upon. */
export interface Hosted {
  spool: Spool
  /** Without what only the connection knows. */
  state(): Omit<HostState, 'version' | 'epoch' | 'begin' | 'end'>
  write(bytes: Buffer, key: string | undefined): Promise<boolean>
  forget(keys: readonly string[]): void
  /** Output was sent or committed, or the reader is gone. */
  onRoom(): void
  endInput(): void
  stop(graceMs: number): Promise<string[]>
  leave(): void
  /** The last frames, each once everything before its place has been sent. */
  endings(): Array<{ at: number; frame: HostFrame }>
}

export interface Readers {
  server: Server
  /** Something new is in the spool; `chunk` is its newest part, if at hand. */
  pump(chunk?: Buffer, at?: number): void
  sendError(chunk: Buffer, total: number): void
  /** A reader does not keep up: the agent waits for it. Without one it may run ahead, as far as the spool allows. */
  isBehind(): boolean
}

const MAX_PIECE = 256 * 1024
const MAX_LEAD = 256 * 1024

interface Reader {
  stream: Duplex
  /** The next byte to be sent, and the place before which sending is allowed. */
  sent: number
  allowed: number
  /** The endings it has been sent. */
  ended: Set<HostFrame>
}

export function serveReaders(socketPath: string, hosted: Hosted): Promise<Readers> {
  const readers = createReaders(hosted)
  const server = createServer((socket) => readers.accept(socket))
  rmSync(socketPath, { force: true })
  return withSocketPath(
    socketPath,
    (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        // Nobody else may connect, not even for the moment before its mode is set.
        const mask = process.umask(0o177)
        server.listen(path, () => {
          chmodSync(socketPath, 0o600)
          resolve({ server, ...readers })
        })
        process.umask(mask)
      }),
  )
}

/** Apart from the socket, so that tests can cut the wire at any byte. */
export function createReaders(hosted: Hosted): Omit<Readers, 'server'> & { accept(stream: Duplex): void } {
  let current: Reader | null = null
  let epoch = 0

  const greet = (stream: Duplex, { version, after }: Extract<ReaderFrame, { op: 'hello' }>) => {
    const { spool } = hosted
    if (version !== PROTOCOL_VERSION) return refuse(stream, `this host speaks version ${PROTOCOL_VERSION}`)
    if (after < spool.begin() || after > spool.end()) {
      return refuse(stream, `output is kept from ${spool.begin()} to ${spool.end()}, not from ${after}`)
    }
    if (current && current.stream !== stream) {
      send(current.stream, { op: 'replaced' })
      current.stream.end()
    }
    epoch++
    current = { stream, sent: after, allowed: after, ended: new Set() }
    const state: HostState = {
      version: PROTOCOL_VERSION,
      epoch,
      begin: spool.begin(),
      end: spool.end(),
      ...hosted.state(),
    }
    send(stream, { op: 'state' }, Buffer.from(JSON.stringify(state)))
  }

  const obey = (stream: Duplex, frame: ReaderFrame, payload: Buffer) => {
    if (frame.op === 'hello') return greet(stream, frame)
    // Frames of a reader that was replaced while they were on their way.
    if (current?.stream !== stream) return
    switch (frame.op) {
      case 'read':
        current.allowed = Math.max(current.allowed, frame.to)
        pump()
        return hosted.onRoom()
      case 'commit':
        hosted.spool.commit(frame.to)
        hosted.forget(frame.forget ?? [])
        return hosted.onRoom()
      case 'in':
        void hosted.write(payload, frame.key).then((ok) => send(stream, { op: 'took', n: frame.n, ok }))
        return
      case 'end-input':
        return hosted.endInput()
      case 'stop':
        void hosted.stop(frame.graceMs).then((left) => send(stream, { op: 'stopped', left }))
        return
      case 'leave':
        return hosted.leave()
    }
  }

  const pump = (chunk?: Buffer, at?: number) => {
    if (!current) return
    const { spool } = hosted
    const limit = () => Math.min(spool.end(), current!.allowed)
    if (chunk && current.sent === at) sendOutput(current, chunk.subarray(0, Math.max(0, limit() - current.sent)))
    while (current.sent < limit()) {
      sendOutput(current, spool.read(current.sent, Math.min(MAX_PIECE, limit() - current.sent)))
    }
    for (const { at: place, frame } of hosted.endings()) {
      if (place > current.sent || current.ended.has(frame)) continue
      current.ended.add(frame)
      send(current.stream, frame)
    }
  }

  return {
    accept(stream) {
      // A reader may vanish at any moment; the next one continues.
      stream.on('error', () => stream.destroy())
      stream.on('close', () => {
        if (current?.stream !== stream) return
        current = null
        hosted.onRoom()
      })
      const feed = createFrameReader<ReaderFrame>((frame, payload) => obey(stream, frame, payload))
      stream.on('data', (chunk: Buffer) => {
        try {
          feed(chunk)
        } catch {
          // Not a reader of this protocol.
          stream.destroy()
        }
      })
    },
    pump,
    isBehind: () => current !== null && hosted.spool.end() - current.sent >= MAX_LEAD,
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

function refuse(stream: Duplex, why: string): void {
  send(stream, { op: 'refused', why })
  stream.end()
}

function send(stream: Duplex, frame: HostFrame, payload?: Buffer): void {
  if (stream.writable) stream.write(encodeFrame(frame, payload))
}
