// Who asks, and whether the agent of a session may have what it requests. Agents use this API as people do, with the same user, so
// who is asking is read from the process at the other end and those above it, and from the secret of a session if one was
// sent. Reading is decided by the secret alone: the files are the same user's in any case.
import type { IncomingMessage } from 'node:http'
import { AoError } from '../../contract/errors.ts'
import { isForEveryone, type RequestCaller, refuseRequest } from '../../core/boundary/rights.ts'
import type { AskedRoute } from '../../http/route-table.ts'
import { callerAmong } from '../../inside/find-caller.ts'
import { ownHome } from '../../lib/process/own-home.ts'
import { peerEnvironments } from '../../lib/process/peer-process.ts'
import { ancestryOf, sessionOfToken } from '../runtime.ts'
import type { AghContext } from '../session/context.ts'

export const TOKEN_HEADER = 'x-agh-session-token'

/** The session whose secret was sent; null: none, as a person does. */
export type AghCaller = string | null

export async function admitRequest(
  context: AghContext,
  request: IncomingMessage,
  requested: AskedRoute<AghContext, AghCaller> | null,
): Promise<AghCaller> {
  const sent = sessionOfRequest(context, request)
  if (requested === null) return sent
  const { row, params } = requested
  if (isForEveryone(row)) return sent
  const callers = await findCallers(context, { request, sent, isChange: row.method !== 'GET' })
  if (callers.length === 0) return sent
  const ancestry = row.path.includes('/sessions/:id') ? ancestryOf(context, params.id!) : []
  for (const caller of callers) {
    const why = refuseRequest(caller, row, ancestry)
    if (why !== null) throw refused(why, { route: `${row.method} ${row.path}`, session: caller.aghSession })
  }
  return sent
}

function sessionOfRequest(context: AghContext, { headers }: IncomingMessage): AghCaller {
  const token = headers[TOKEN_HEADER]
  return typeof token === 'string' ? sessionOfToken(context, token) : null
}

interface Request {
  request: IncomingMessage
  sent: AghCaller
  isChange: boolean
}

async function findCallers(context: AghContext, { request, sent, isChange }: Request): Promise<RequestCaller[]> {
  const environments = isChange ? await readPeer(context, request) : []
  const sessions = new Set(
    environments.flatMap(({ AGH_SESSION_TOKEN: token }) => (token && sessionOfToken(context, token)) || []),
  )
  if (sent !== null && sessions.size > 0 && !sessions.has(sent)) {
    throw refused('the secret of another session was sent', { session: [...sessions][0]! })
  }
  if (sent !== null) sessions.add(sent)
  const caller = callerAmong({ env: context.env, home: ownHome(context.env) }, environments)
  if (caller && caller.kind !== 'agent') return [{ kind: caller.kind, aghSession: [...sessions].at(-1) ?? null }]
  // The secret of a session that has ended, or a made-up one, makes nobody a person.
  if (caller && sessions.size === 0) return [{ kind: 'agent', aghSession: null }]
  return [...sessions].map((aghSession) => ({ kind: 'agent', aghSession }))
}

async function readPeer({ log }: AghContext, { socket }: IncomingMessage): Promise<readonly NodeJS.ProcessEnv[]> {
  const peer = await peerEnvironments(socket)
  if (typeof peer !== 'string') return peer
  if (peer === 'unknown') {
    log.debug('this system does not say which process is asking: agents are known by what they send')
    return []
  }
  throw new AoError('ACCESS_REFUSED', 'Refused: the process that connected has ended, or cannot be seen', {
    hint: 'Send the request from the process that connects, and try again',
  })
}

function refused(why: string, details: Record<string, unknown>): AoError {
  return new AoError('ROLE_REFUSED', `Refused: ${why}`, { details })
}
