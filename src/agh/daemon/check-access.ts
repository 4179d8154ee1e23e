// Who may talk to the daemon. The Unix socket is guarded by its mode. Over TCP: only this machine, only this user, no browser.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { AoError } from '../../contract/errors.ts'
import { peerUid } from './peer-uid.ts'

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1'])
/** A connection keeps its user. */
const known = new WeakMap<Socket, number | null>()

export function checkTcpAccess(request: IncomingMessage, port: number): void {
  const { headers, headersDistinct, socket } = request
  if ((headersDistinct.host?.length ?? 0) > 1) throw refused('it names more than one host')
  const [host, hostPort] = (headers.host ?? '').split(':')
  // A name that was made to point here must not bring a stranger's page in.
  if (!LOCAL_HOSTS.has(host ?? '') || Number(hostPort ?? 80) !== port)
    throw refused(`the host ${headers.host} is not this server`)
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) throw refused('browsers have no access')
  if (!known.has(socket)) known.set(socket, peerUid(socket))
  if (known.get(socket) !== process.getuid?.()) throw refused('only processes of the same user have access')
}

function refused(why: string): AoError {
  return new AoError('ACCESS_REFUSED', `Refused: ${why}`, { hint: 'Use the agh command, or the socket daemon.sock' })
}
