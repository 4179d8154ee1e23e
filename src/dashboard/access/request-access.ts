// Who has access: the keys of one server. admit-request.ts checks requests against them.

import { readOrMakeToken } from '../../http/access-token.ts'
import type { Clock } from '../../lib/clock.ts'
import type { RunFiles } from '../../lifecycle/loop/run-state.ts'
import { openPushStore, type PushStore } from '../../lifecycle/push/push-store.ts'
import { type DeviceStore, openDevices } from '../devices/device-store.ts'
import { openSecretDirectory, type SecretDirectory } from './secret-directory.ts'

export type AccessFiles = Pick<RunFiles, 'token' | 'signIn' | 'browsers' | 'devices' | 'pairings' | 'push' | 'pushKeys'>

/** What the configuration in effect says about it. */
export interface Reach {
  /** The host names under which it is reached, as in a Host header. */
  hosts: ReadonlySet<string>
  /** The address under which other machines open the page; null: none of them can. */
  reached: string | null
  /** Valid tokens; the first is the one of the file. */
  tokens: readonly string[]
}

/** Outlives configurations; `reach` is replaced with each of them. */
export interface RequestAccess {
  reach: Reach
  codes: SecretDirectory
  browsers: SecretDirectory
  devices: DeviceStore
  pairings: SecretDirectory
  push: PushStore
  pushKeys: string
  /** The cookie's name; browsers keep cookies per host, not per port, so it names the configuration. */
  cookie: string
}

const MINUTE_MS = 60_000
const CODE_MS = 10 * MINUTE_MS
export const SIGNED_IN_MS = 30 * 24 * 60 * MINUTE_MS

export interface AccessOptions {
  files: AccessFiles
  /** Distinguishes the servers of one machine. */
  name: string
  clock: Clock
}

/** Nobody has access until it has its reach. */
export function openAccess({ files, name, clock }: AccessOptions): RequestAccess {
  return {
    reach: { hosts: new Set(), reached: null, tokens: [] },
    codes: openCodes(files, clock),
    browsers: openSecretDirectory(files.browsers, { goodForMs: SIGNED_IN_MS, most: 50, clock }),
    devices: openDevices(files.devices, clock),
    pairings: openPairings(files, clock),
    push: openPushStore(files, clock),
    pushKeys: files.pushKeys,
    cookie: `ao-${name}`,
  }
}

/** The token of the file, and one from the configuration. */
export function readTokens(files: Pick<AccessFiles, 'token'>, configured: string | undefined): string[] {
  return [readOrMakeToken(files.token), ...(configured === undefined ? [] : [configured])]
}

/** Also for a command that creates a link for a server in another process. */
export function openCodes(files: Pick<AccessFiles, 'signIn'>, clock: Clock): SecretDirectory {
  return openSecretDirectory(files.signIn, { goodForMs: CODE_MS, most: 20, clock })
}

export function openPairings(files: Pick<AccessFiles, 'pairings'>, clock: Clock): SecretDirectory {
  return openSecretDirectory(files.pairings, { goodForMs: CODE_MS, most: 20, clock })
}
