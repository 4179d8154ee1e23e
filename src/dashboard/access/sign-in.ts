// The one-time link: a code that is valid once becomes a cookie. The code leaves the address bar immediately.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Caller, checkHost } from './admit-request.ts'
import { type RequestAccess, SIGNED_IN_MS } from './request-access.ts'

export const SIGN_IN_PATH = '/sign-in'

/** Answers GET /sign-in?code=…[&to=/path]. */
export function signIn(
  access: RequestAccess,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): void {
  checkHost(request, access.reach.hosts)
  const to = ownPath(query.get('to'))
  // Prefetched by a browser that only guesses: the code stays valid for the person.
  if (request.method !== 'GET' || request.headers['sec-purpose'] !== undefined) {
    response.writeHead(405, { allow: 'GET' }).end()
    return
  }
  if (!access.codes.take(query.get('code') ?? '')) {
    // The page says what to do; a browser that is already signed in simply gets in.
    response.writeHead(303, { location: to }).end()
    return
  }
  response
    .writeHead(303, { location: to, 'set-cookie': cookie(access, request, access.browsers.give(), SIGNED_IN_MS) })
    .end()
}

export function signOut(access: RequestAccess, caller: Caller, response: ServerResponse): void {
  if (caller.kind === 'browser') access.browsers.take(caller.secret)
  if (caller.kind === 'device') access.devices.revoke(caller.id)
  response.setHeader('set-cookie', cookie(access, response.req, '', 0))
}

export function signInLink(origin: string, code: string, to = '/'): string {
  const rest = to === '/' ? '' : `&to=${encodeURIComponent(to)}`
  return `${origin}${SIGN_IN_PATH}?code=${code}${rest}`
}

export function cookie(access: RequestAccess, { socket }: IncomingMessage, value: string, ms: number): string {
  // Where it came encrypted, it is never sent in the open.
  const secure = 'encrypted' in socket && socket.encrypted === true ? '; Secure' : ''
  return `${access.cookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${Math.floor(ms / 1000)}${secure}`
}

/** Only a path of this server: `//host` and `/\host` would be another one. */
function ownPath(to: string | null): string {
  return to !== null && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(to) ? to : '/'
}
