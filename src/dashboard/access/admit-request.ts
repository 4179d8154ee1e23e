// The one check of a request to the API: that it is meant for this server and no other page made the browser send it, its key, its
// right, and who is at the other end. Routes are given the caller.
// The key alone does not tell a person from an agent, which runs as the same user and can read it.
import type { IncomingMessage } from 'node:http'
import type { DeviceRight } from '../../contract/dashboard/devices.ts'
import { AoError } from '../../contract/errors.ts'
import { describeRight, hasRight, neededRight } from '../../core/access/device-rights.ts'
import { type CallerKind, type RequestedRoute, refuseRequest } from '../../core/boundary/rights.ts'
import { isSameSecret } from '../../http/access-token.ts'
import { admitConnection } from '../../http/limit-connections.ts'
import { callerAmong } from '../../inside/find-caller.ts'
import { peerEnvironments } from '../../lib/process/peer-process.ts'
import type { RequestAccess } from './request-access.ts'

export type Caller =
  /** `name`: who it is, for the history. */
  | { kind: 'token'; token: string; name: 'the API'; right: 'full' }
  | { kind: 'browser'; secret: string; name: 'the page'; right: 'full' }
  /** `isBrowser`: it sent its token as a cookie. */
  | { kind: 'device'; token: string; id: string; name: string; right: DeviceRight; isBrowser: boolean }

export type ApiCaller = Caller & {
  /** What it is inside a session; null: a person or a program outside of sessions, as far as that shows. Only changes ask. */
  role: CallerKind | null
}

export interface AdmitContext {
  access: RequestAccess
  env: NodeJS.ProcessEnv
  paths: { home: string }
}

export async function admitRequest(
  context: AdmitContext,
  request: IncomingMessage,
  requested: { row: RequestedRoute } | null,
): Promise<ApiCaller> {
  const caller = checkEntry(context.access, request)
  admitConnection(request)
  if (requested) requireRight(caller, requested.row)
  if (!requested || !isChange(request)) return { ...caller, role: null }
  return { ...caller, role: await requireRole(context, request, requested.row) }
}

/** What sends a change is inside a session, if it is. Throws ROLE_REFUSED when the route is not for it. */
export async function requireRole(
  context: AdmitContext,
  request: IncomingMessage,
  route: RequestedRoute,
): Promise<CallerKind | null> {
  const role = await findRole(context, request)
  const why = role === null ? null : refuseRequest({ kind: role, aghSession: null }, route, [])
  if (why !== null) throw new AoError('ROLE_REFUSED', `Refused: ${why}`, { details: { role } })
  return role
}

async function findRole({ env, paths }: AdmitContext, { socket }: IncomingMessage): Promise<CallerKind | null> {
  const peer = await peerEnvironments(socket)
  if (typeof peer !== 'string') return callerAmong({ env, home: paths.home }, peer)?.kind ?? null
  if (peer !== 'ended') return null
  throw new AoError('ACCESS_REFUSED', 'Refused: the process that connected has ended', {
    hint: 'Keep the connection open until the answer is there, and try again',
  })
}

/** Throws ACCESS_REFUSED, SIGN_IN_NEEDED, or USAGE for a change that is not JSON. */
function checkEntry(access: RequestAccess, request: IncomingMessage): Caller {
  const host = checkHost(request, access.reach.hosts)
  checkOrigin(request, host, false)
  const caller = identify(access, request)
  if (caller === null) throw new AoError('SIGN_IN_NEEDED', 'This needs a signed-in browser or the bearer token')
  if (!isChange(request)) return caller
  checkOrigin(request, host, isBrowser(caller))
  checkContentType(request)
  return caller
}

/** A WebSocket always names its page, and counts as a change whatever its method says. */
export function checkUpgrade(access: RequestAccess, request: IncomingMessage): Caller {
  const host = checkHost(request, access.reach.hosts)
  const caller = identify(access, request)
  checkOrigin(request, host, caller === null || isBrowser(caller))
  if (caller === null) throw new AoError('SIGN_IN_NEEDED', 'This needs a signed-in browser or the bearer token')
  return caller
}

/** The one decision about what a caller may do. Throws DEVICE_LIMITED. */
export function requireRight(caller: Caller, route: { method: string; path: string }): void {
  const needed = neededRight(route)
  if (hasRight(caller.right, needed)) return
  const name = caller.kind === 'device' ? caller.name : 'this caller'
  throw new AoError(
    'DEVICE_LIMITED',
    `${name} may only ${describeRight(caller.right)}; this needs the right: ${needed}`,
    {
      details: { right: caller.right, needed },
    },
  )
}

function isBrowser(caller: Caller): boolean {
  return caller.kind === 'browser' || (caller.kind === 'device' && caller.isBrowser)
}

function identify(access: RequestAccess, { headers }: IncomingMessage): Caller | null {
  const bearer = /^Bearer ([\x21-\x7e]{1,1000})$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer !== undefined) {
    if (isGoodToken(access, bearer)) return { kind: 'token', token: bearer, name: 'the API', right: 'full' }
    return identifyDevice(access, bearer, false)
  }
  const secret = readCookie(headers.cookie, access.cookie)
  if (secret === null) return null
  if (access.browsers.isGood(secret)) return { kind: 'browser', secret, name: 'the page', right: 'full' }
  return identifyDevice(access, secret, true)
}

function identifyDevice({ devices }: RequestAccess, token: string, fromCookie: boolean): Caller | null {
  const device = devices.find(token)
  if (device === null) return null
  const { id, name, right } = device
  return { kind: 'device', token, id, name, right, isBrowser: fromCookie }
}

/** For a connection that stays open: whether its key is still valid, even after another configuration took effect. */
export function isStillIn(access: RequestAccess, caller: Caller): boolean {
  if (caller.kind === 'device') return access.devices.find(caller.token) !== null
  return caller.kind === 'token' ? isGoodToken(access, caller.token) : access.browsers.isGood(caller.secret)
}

/** All of them are compared, so that timing does not reveal which one it was. */
function isGoodToken({ reach }: RequestAccess, given: string): boolean {
  return reach.tokens.filter((token) => isSameSecret(given, token)).length > 0
}

function readCookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=')
    if (key === name && value !== undefined && /^[A-Za-z0-9_-]{20,100}$/.test(value)) return value
  }
  return null
}

/** A hostile DNS name that points here must not let a foreign page in. Returns the host. */
export function checkHost({ headersDistinct }: IncomingMessage, hosts: ReadonlySet<string>): string {
  const [host = '', ...more] = headersDistinct.host?.map((one) => one.toLowerCase()) ?? []
  if (more.length > 0) throw refused('it names more than one host')
  if (hosts.has(host)) return host
  throw refused(`the host ${host.slice(0, 100) || '(none)'} is not this server`)
}

/**
 * For everything except pages themselves. `requiresHeader`: a browser always names its page here, so a request without it is not a
 * browser's.
 */
function checkOrigin({ headers }: IncomingMessage, host: string, requiresHeader: boolean): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw refused('another page sent this')
  const { origin } = headers
  if (origin === undefined) {
    if (requiresHeader) throw refused('the request does not say which page sent it')
    return
  }
  // https: behind the user's own proxy.
  if (origin !== `http://${host}` && origin !== `https://${host}`) throw refused('another page sent this')
}

/** A form on another page can send much, but not this type. */
function checkContentType({ headers }: IncomingMessage): void {
  if (/^application\/json(?:\s*;|\s*$)/i.test(headers['content-type'] ?? '')) return
  throw new AoError('USAGE', 'A change must have the content type application/json', {
    hint: 'Add: -H "Content-Type: application/json"',
  })
}

function isChange({ method }: IncomingMessage): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

function refused(why: string): AoError {
  return new AoError('ACCESS_REFUSED', `Refused: ${why}`)
}
