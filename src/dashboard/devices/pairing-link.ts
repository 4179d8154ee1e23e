// The link behind a QR code, at the address under which others reach the page.
import type { OrchestratorConfig } from '../../contract/config.ts'
import type { DeviceRight } from '../../contract/dashboard/devices.ts'
import { AoError } from '../../contract/errors.ts'
import { cleanDeviceName } from '../../core/access/device-name.ts'
import { isLocal, ownOrigin } from '../access/listen-address.ts'
import type { SecretDirectory } from '../access/secret-directory.ts'
import { PAIR_PATH, writeWanted } from './pair-device.ts'

export interface PairingLink {
  link: string
  /** The name as it will be shown. */
  name: string
  /** Why no other machine can open the link; null: one can. */
  problem: string | null
}

export interface PairingRequest {
  config: OrchestratorConfig
  port: number
  /** Where the page of the repository begins: '' or `/r/<hash>`. */
  base: string
  pairings: SecretDirectory
  name: string
  right: DeviceRight
}

export function createPairingLink({ config, port, base, pairings, name, right }: PairingRequest): PairingLink {
  const shown = cleanDeviceName(name)
  if (shown === null) throw new AoError('USAGE', 'A device needs a name', { hint: 'ao device add "my phone"' })
  const { url } = config.dashboard ?? {}
  const origin = url === undefined ? ownOrigin(config, port) : new URL(url).origin
  const code = pairings.give(writeWanted({ name: shown, right }))
  return {
    link: `${origin}${base}${PAIR_PATH}${code}`,
    name: shown,
    problem: url === undefined && isLocal(config) ? ONLY_HERE : null,
  }
}

const ONLY_HERE =
  'Only this machine can open this link: the dashboard listens nowhere else. See "Your phone" in docs/dashboard.md'
