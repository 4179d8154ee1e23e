// Who has access: the keys of one server, and the one check of a request against them.

import type { IncomingMessage } from 'node:http'
import type { DeviceRight } from '../../contract/dashboard/devices.ts'
import { AoError } from '../../contract/errors.ts'
import { describeRight, hasRight, neededRight } from '../../core/access/device-rights.ts'
import { isSameSecret, readOrMakeToken } from '../../http/access-token.ts'
import type { Clock } from '../../lib/clock.ts'
import type { RunFiles } from '../../lifecycle/loop/run-state.ts'
import { openPushStore, type PushStore } from '../../lifecycle/push/push-store.ts'
import { type DeviceStore, openDevices } from '../devices/device-store.ts'
import { checkContentType, checkHost, checkOrigin, isChange } from './check-request.ts'
import { openSecretDirectory, type SecretDirectory } from './secret-directory.ts'

export type AccessFiles = Pick<RunFiles, 'token' | 'signIn' | 'browsers' | 'devices' | 'pairings' | 'push' | 'pushKeys'>

export interface RequestAccess {
  /** The host names under which it is reached, as in a Host header. */
  hosts: ReadonlySet<string>
  /** The address under which other machines open the page; null: none of them can. */
  reached: string | null
  /** Valid tokens; the first is the one of the file. */
  tokens: readonly string[]
  codes: SecretDirectory
  browsers: SecretDirectory
  devices: DeviceStore
  pairings: SecretDirectory
  push: PushStore
  pushKeys: string
  /** The cookie's name; browsers keep cookies per host, not per port, so it names the configuration. */
  cookie: string
}

export type Caller =
  | { kind: 'token'; token: string; right: 'full' }
  | { kind: 'browser'; secret: string; right: 'full' }
  /** `isBrowser`: it sent its token as a cookie. */
  | { kind: 'device'; token: string; id: string; name: string; right: DeviceRight; isBrowser: boolean }

const MINUTE_MS = 60_000
const CODE_MS = 10 * MINUTE_MS
export const SIGNED_IN_MS = 30 * 24 * 60 * MINUTE_MS

export interface AccessOptions {
  files: AccessFiles
  /** Distinguishes the servers of one machine. */
  name: string
  hosts: ReadonlySet<string>
  reached: string | null
  /** A token from the configuration, in addition to the one of the file. */
  token: string | undefined
  clock: Clock
}

export function openAccess({ files, name, hosts, reached, token, clock }: AccessOptions): RequestAccess {
  return {
    hosts,
    reached,
    tokens: [readOrMakeToken(files.token), ...(token === undefined ? [] : [token])],
    codes: openCodes(files, clock),
    browsers: openSecretDirectory(files.browsers, { goodForMs: SIGNED_IN_MS, most: 50, clock }),
    devices: openDevices(files.devices, clock),
    pairings: openPairings(files, clock),
    push: openPushStore(files, clock),
    pushKeys: files.pushKeys,
    cookie: `ao-${name}`,
  }
}

/** Also for a command that creates a link for a server in another process. */
export function openCodes(files: Pick<AccessFiles, 'signIn'>, clock: Clock): SecretDirectory {
  return openSecretDirectory(files.signIn, { goodForMs: CODE_MS, most: 20, clock })
}

export function openPairings(files: Pick<AccessFiles, 'pairings'>, clock: Clock): SecretDirectory {
  return openSecretDirectory(files.pairings, { goodForMs: CODE_MS, most: 20, clock })
}

/** Throws ACCESS_REFUSED, SIGN_IN_NEEDED, or USAGE for a change that is not JSON. */
export function checkEntry(access: RequestAccess, request: IncomingMessage): Caller {
  const host = checkHost(request, access.hosts)
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
  const host = checkHost(request, access.hosts)
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
    if (isGoodToken(access, bearer)) return { kind: 'token', token: bearer, right: 'full' }
    return identifyDevice(access, bearer, false)
  }
  const secret = readCookie(headers.cookie, access.cookie)
  if (secret === null) return null
  if (access.browsers.isGood(secret)) return { kind: 'browser', secret, right: 'full' }
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

/** For the history: who did it. */
export function callerName(caller: Caller): string {
  return caller.kind === 'device' ? caller.name : caller.kind === 'browser' ? 'the page' : 'the API'
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
