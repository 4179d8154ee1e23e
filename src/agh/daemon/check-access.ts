// Who may talk to the daemon. The Unix socket is guarded by its mode. Over TCP: only this machine, only this user, no browser.
// Where the system does not say who is at the other end, as on macOS, the token from the daemon's directory says it.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { AoError } from '../../contract/errors.ts'
import { isSameSecret } from '../../http/access-token.ts'
import { tcpRow } from '../../lib/process/peer-process.ts'

export interface TcpAccess {
  port: number
  tokenFile: string
  token: () => string
  /** null: unknown. */
  uidOf?: (socket: Socket) => number | null
}

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1'])
/** A connection's user never changes. */
const peers = new WeakMap<Socket, number | null>()

export function checkTcpAccess(request: IncomingMessage, access: TcpAccess): void {
  const { headers, socket } = request
  const [host, hostPort] = (headers.host ?? '').split(':')
  // A hostile DNS name that points here must not let a foreign page in.
  if (!LOCAL_HOSTS.has(host ?? '') || Number(hostPort ?? 80) !== access.port)
    throw refused(`the host ${headers.host} is not this server`)
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) throw refused('browsers have no access')
  if (!peers.has(socket)) peers.set(socket, (access.uidOf ?? uidOf)(socket))
  const uid = peers.get(socket) ?? null
  if (uid !== null && uid !== process.getuid?.()) throw refused('only processes of the same user have access')
  if (uid === null) requireToken(headers.authorization, access)
}

function uidOf(socket: Socket): number | null {
  return tcpRow(socket)?.uid ?? null
}

function requireToken(authorization: string | undefined, { token, tokenFile }: TcpAccess): void {
  const given = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
  if (given !== undefined && isSameSecret(given, token())) return
  throw refused(
    `this system does not say whose process is asking, and ${given === undefined ? 'no token was sent' : 'the token is wrong'}`,
    `Send it along: -H "Authorization: Bearer $(cat '${tokenFile}')"; or use the agh command, which needs none`,
  )
}

function refused(why: string, hint = 'Use the agh command, or the socket daemon.sock'): AoError {
  return new AoError('ACCESS_REFUSED', `Refused: ${why}`, { hint })
}
