// Whether the agent of a session may have what it requests. Agents use this API as people do, with the same user, so who is
// asking is read from the process at the other end and those above it, and from the secret of a session if one was sent.
// Reading is decided by the secret alone: the files are the same user's in any case.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { AoError } from '../../contract/errors.ts'
import { isForEveryone, type RequestCaller, refuseRequest } from '../../core/boundary/rights.ts'
import type { Route } from '../../http/route-table.ts'
import { callerAmong } from '../../inside/find-caller.ts'
import { ancestorEnvironments } from '../../lib/process/ancestor-environments.ts'
import { ownHome } from '../../lib/process/own-home.ts'
import { findPeer } from '../../lib/process/peer-process.ts'
import { ancestryOf, sessionOfToken } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'

export const TOKEN_HEADER = 'x-agh-session-token'

export async function permitRequest(
  context: AghContext,
  request: IncomingMessage,
  row: Route<AghContext>,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  if (isForEveryone(row)) return
  const callers = await findCallers(context, request, row.method !== 'GET')
  if (callers.length === 0) return
  const ancestry = row.path.includes('/sessions/:id') ? ancestryOf(context, params.id!) : []
  for (const caller of callers) {
    const why = refuseRequest(caller, row, ancestry)
    if (why !== null) throw refused(why, { route: `${row.method} ${row.path}`, session: caller.aghSession })
  }
}

/** The session whose secret was sent. */
export function sessionOfRequest(context: AghContext, { headers }: IncomingMessage): string | null {
  const token = headers[TOKEN_HEADER]
  return typeof token === 'string' ? sessionOfToken(context, token) : null
}

async function findCallers(context: AghContext, request: IncomingMessage, isChange: boolean): Promise<RequestCaller[]> {
  const sent = sessionOfRequest(context, request)
  const environments = isChange ? await peerEnvironments(context, request.socket) : []
  const sessions = new Set(
    environments.flatMap(({ AGH_SESSION_TOKEN: token }) => (token && sessionOfToken(context, token)) || []),
  )
  if (sent !== null && sessions.size > 0 && !sessions.has(sent)) {
    throw refused('the secret of another session was sent', { session: [...sessions][0]! })
  }
  if (sent !== null) sessions.add(sent)
  const caller = callerAmong({ env: context.env, home: ownHome(context.env) }, environments)
  if (caller && caller.kind !== 'agent') return [{ kind: caller.kind, aghSession: [...sessions].at(-1) ?? null }]
  return [...sessions].map((aghSession) => ({ kind: 'agent', aghSession }))
}

/** A connection's peer never changes. */
const peers = new WeakMap<Socket, Promise<NodeJS.ProcessEnv[]>>()

function peerEnvironments(context: AghContext, socket: Socket): Promise<NodeJS.ProcessEnv[]> {
  const before = peers.get(socket)
  if (before) return before
  const found = readPeer(context, socket)
  peers.set(socket, found)
  return found
}

async function readPeer({ log }: AghContext, socket: Socket): Promise<NodeJS.ProcessEnv[]> {
  const peer = await findPeer(socket)
  if (peer.kind === 'unknown') {
    log.debug('this system does not say which process is asking: agents are known by what they send')
    return []
  }
  if (peer.pids.length > 0) return peer.pids.flatMap((pid) => ancestorEnvironments(pid))
  throw new AoError('ACCESS_REFUSED', 'Refused: the process that connected has ended, or cannot be seen', {
    hint: 'Send the request from the process that connects, and try again',
  })
}

function refused(why: string, details: Record<string, unknown>): AoError {
  return new AoError('ROLE_REFUSED', `Refused: ${why}`, { details })
}
