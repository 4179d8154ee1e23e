// The link behind a QR code, at the address under which others reach the page.
import type { DeviceRight } from '../../contract/dashboard/devices.ts'
import { AoError } from '../../contract/errors.ts'
import { cleanDeviceName } from '../../core/access/device-name.ts'
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
  /** Under which address other machines open the page; null: none of them can. */
  reached: string | null
  /** What this machine opens. */
  origin: string
  /** Where the page of the repository begins: '' or `/r/<hash>`. */
  base: string
  pairings: SecretDirectory
  name: string
  right: DeviceRight
}

export function createPairingLink({ reached, origin, base, pairings, name, right }: PairingRequest): PairingLink {
  const shown = cleanDeviceName(name)
  if (shown === null) throw new AoError('USAGE', 'A device needs a name', { hint: 'ao device add "my phone"' })
  const code = pairings.give(writeWanted({ name: shown, right }))
  return {
    link: `${reached ?? origin}${base}${PAIR_PATH}${code}`,
    name: shown,
    problem: reached === null ? ONLY_HERE : null,
  }
}

const ONLY_HERE =
  'Only this machine can open this link: the dashboard listens nowhere else. Restart it with: ao start --listen tailscale (docs/dashboard.md)'
