// A browser's end of the terminals' socket: a real `ws` client that keeps what it receives.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import {
  decodeData,
  decodeServerFrame,
  encodeControl,
  encodeData,
  type TerminalClientFrame,
  type TerminalId,
  type TerminalServerFrame,
} from '../../src/contract/terminal-frames.ts'
import { MAX_FRAME_BYTES, type TerminalServer } from '../../src/dashboard/terminal/terminal-socket.ts'

export interface TerminalClient {
  socket: WebSocket
  frames: TerminalServerFrame[]
  /** Everything that was shown under this id. */
  shown(terminalId: TerminalId): string
  /** How much that was. */
  bytes(terminalId: TerminalId): number
  say(frame: TerminalClientFrame): void
  type(terminalId: TerminalId, text: string): void
}

/** A server that takes every socket in; what checks them is tested elsewhere. */
export async function listenForTerminals(terminals: TerminalServer): Promise<{ port: number; close(): Promise<void> }> {
  const server: Server = createServer()
  const upgrades = new WebSocketServer({ server, maxPayload: MAX_FRAME_BYTES })
  upgrades.on('connection', (socket) => terminals.accept(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      await terminals.close()
      for (const socket of upgrades.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** `acknowledges` false: a client that never reports having drawn anything. */
export async function connectTerminals(port: number, { acknowledges = true } = {}): Promise<TerminalClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  const frames: TerminalServerFrame[] = []
  const shown = new Map<TerminalId, { text: string; bytes: number }>()
  socket.on('message', (message: Buffer, isBinary) => {
    if (!isBinary) {
      const frame = decodeServerFrame(message.toString())
      if (!frame) throw new Error(`not a frame: ${message.toString()}`)
      frames.push(frame)
      return
    }
    const data = decodeData(message)!
    const before = shown.get(data.terminalId) ?? { text: '', bytes: 0 }
    const text = (before.text + Buffer.from(data.bytes).toString()).slice(-200_000)
    shown.set(data.terminalId, { text, bytes: before.bytes + data.bytes.length })
    if (acknowledges) socket.send(encodeControl({ type: 'ack', terminalId: data.terminalId, bytes: data.bytes.length }))
  })
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return {
    socket,
    frames,
    shown: (terminalId) => shown.get(terminalId)?.text ?? '',
    bytes: (terminalId) => shown.get(terminalId)?.bytes ?? 0,
    say: (frame) => socket.send(encodeControl(frame)),
    type: (terminalId, text) => socket.send(encodeData(terminalId, Buffer.from(text))),
  }
}
