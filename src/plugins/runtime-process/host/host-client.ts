// One request to a host, one response. A missing host is an answer too, and distinguished from one that hangs.
import { connect } from 'node:net'
import { type HostAnswer, type HostRequest, readLines, writeLine } from './host-protocol.ts'

export type HostReply =
  | { kind: 'answer'; answer: HostAnswer }
  /** Nothing was sent: nothing is listening. */
  | { kind: 'no-host'; why: string }
  /** The request may have been carried out. */
  | { kind: 'unknown'; why: string }

export function askHost(socketPath: string, request: HostRequest, timeoutMs: number): Promise<HostReply> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    let connected = false
    const finish = (reply: HostReply) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reply)
    }
    const timer = setTimeout(() => finish({ kind: 'unknown', why: `no answer within ${timeoutMs} ms` }), timeoutMs)
    socket.on('connect', () => {
      connected = true
      writeLine(socket, request)
    })
    readLines<HostAnswer>(socket, (answer) => finish({ kind: 'answer', answer }))
    socket.on('error', (error) => finish({ kind: connected ? 'unknown' : 'no-host', why: error.message }))
    socket.on('close', () => finish({ kind: 'unknown', why: 'the host closed the connection' }))
  })
}
