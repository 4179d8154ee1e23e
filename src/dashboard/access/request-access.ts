// Who has access: the keys of one server, and the one check of a request against them.
import type { IncomingMessage } from 'node:http'
import { AoError } from '../../contract/errors.ts'
import { isSameSecret, readOrMakeToken } from '../../http/access-token.ts'
import type { Clock } from '../../lib/clock.ts'
import { checkContentType, checkHost, checkOrigin, isChange } from './check-request.ts'
import { openSecretDirectory, type SecretDirectory } from './secret-directory.ts'

export interface AccessFiles {
  token: string
  /** One-time links that have not been used yet. */
  signIn: string
  /** Browsers that are signed in. */
  browsers: string
}

export interface RequestAccess {
  /** The host names under which it is reached, as in a Host header. */
  hosts: ReadonlySet<string>
  /** Valid tokens; the first is the one of the file. */
  tokens: readonly string[]
  codes: SecretDirectory
  browsers: SecretDirectory
  /** The cookie's name; browsers keep cookies per host, not per port, so it names the configuration. */
  cookie: string
}

export type Caller = { kind: 'token'; token: string } | { kind: 'browser'; secret: string }

const MINUTE_MS = 60_000
const CODE_MS = 10 * MINUTE_MS
export const SIGNED_IN_MS = 30 * 24 * 60 * MINUTE_MS

export interface AccessOptions {
  files: AccessFiles
  /** Distinguishes the servers of one machine. */
  name: string
  hosts: ReadonlySet<string>
  /** A token from the configuration, in addition to the one of the file. */
  token: string | undefined
  clock: Clock
}

export function openAccess({ files, name, hosts, token, clock }: AccessOptions): RequestAccess {
  return {
    hosts,
    tokens: [readOrMakeToken(files.token), ...(token === undefined ? [] : [token])],
    codes: openCodes(files, clock),
    browsers: openSecretDirectory(files.browsers, { goodForMs: SIGNED_IN_MS, most: 50, clock }),
    cookie: `ao-${name}`,
  }
}

/** Also for a command that creates a link for a server in another process. */
export function openCodes(files: Pick<AccessFiles, 'signIn'>, clock: Clock): SecretDirectory {
  return openSecretDirectory(files.signIn, { goodForMs: CODE_MS, most: 20, clock })
}

/** Throws ACCESS_REFUSED, SIGN_IN_NEEDED, or USAGE for a change that is not JSON. */
export function checkEntry(access: RequestAccess, request: IncomingMessage): Caller {
  const host = checkHost(request, access.hosts)
  checkOrigin(request, host, false)
  const caller = identify(access, request)
  if (caller === null) throw new AoError('SIGN_IN_NEEDED', 'This needs a signed-in browser or the bearer token')
  if (!isChange(request)) return caller
  checkOrigin(request, host, caller.kind === 'browser')
  checkContentType(request)
  return caller
}

/** A WebSocket always names its page, and counts as a change whatever its method says. */
export function checkUpgrade(access: RequestAccess, request: IncomingMessage): Caller {
  const host = checkHost(request, access.hosts)
  const caller = identify(access, request)
  checkOrigin(request, host, caller?.kind !== 'token')
  if (caller === null) throw new AoError('SIGN_IN_NEEDED', 'This needs a signed-in browser or the bearer token')
  return caller
}

function identify(access: RequestAccess, { headers }: IncomingMessage): Caller | null {
  const bearer = /^Bearer ([\x21-\x7e]{1,1000})$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer !== undefined) {
    return isGoodToken(access, bearer) ? { kind: 'token', token: bearer } : null
  }
  const secret = readCookie(headers.cookie, access.cookie)
  return secret !== null && access.browsers.isGood(secret) ? { kind: 'browser', secret } : null
}

/** For a connection that stays open: whether its key is still valid, even after another configuration took effect. */
export function isStillIn(access: RequestAccess, caller: Caller): boolean {
  return caller.kind === 'token' ? isGoodToken(access, caller.token) : access.browsers.isGood(caller.secret)
}

/** All of them are compared, so that timing does not reveal which one it was. */
function isGoodToken({ tokens }: RequestAccess, given: string): boolean {
  return tokens.filter((token) => isSameSecret(given, token)).length > 0
}

function readCookie(header: string | undefined, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=')
    if (key === name && value !== undefined && /^[A-Za-z0-9_-]{20,100}$/.test(value)) return value
  }
  return null
}
