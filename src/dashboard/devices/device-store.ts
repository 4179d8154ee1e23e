// Devices with a token of their own: one private file each, named by the hash of the token, so that no token can be read from
// the disk and removing the file is what revokes it, for a server in another process too.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { DEVICE_RIGHTS, type DeviceRight } from '../../contract/dashboard/devices.ts'
import { AoError } from '../../contract/errors.ts'
import { createFileExclusive, syncPath } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { namesIn, readIfThere } from '../../lib/plain-file.ts'
import { removeFile } from '../../lib/remove.ts'

export interface Device {
  id: string
  name: string
  right: DeviceRight
  /** ISO 8601 */
  pairedAt: string
}

export interface SeenDevice extends Device {
  /** ISO 8601, to the minute; as paired when it never came. */
  seenAt: string
}

export interface DeviceStore {
  add(wanted: Pick<Device, 'name' | 'right'>): { device: Device; token: string }
  /** null: no device has this token. */
  find(token: string): Device | null
  /** Oldest first. */
  list(): SeenDevice[]
  /** false: it was already gone. */
  revoke(id: string): boolean
}

const MOST = 50
const SEEN_EVERY_MS = 60_000

export function openDevices(directory: string, clock: Clock): DeviceStore {
  const fileOf = (token: string) => join(directory, createHash('sha256').update(token).digest('hex'))
  return {
    add({ name, right }) {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      if (readAll(directory).length >= MOST)
        throw new AoError('STATE_REFUSED', `There are ${MOST} devices already`, {
          hint: 'Revoke one that is no longer used: ao device ls',
        })
      const token = randomBytes(32).toString('base64url')
      const device = {
        id: `d-${randomBytes(4).toString('hex')}`,
        name,
        right,
        pairedAt: clock.now().toISOString(),
      }
      createFileExclusive(fileOf(token), `${JSON.stringify(device)}\n`)
      return { device, token }
    },
    find(token) {
      const file = fileOf(token)
      const device = readDevice(file)
      if (device) noteSeen(file, clock.now())
      return device
    },
    list: () =>
      readAll(directory)
        .map(({ file, device }) => ({ ...device, seenAt: seenAt(file) ?? device.pairedAt }))
        .sort((a, b) => (a.pairedAt < b.pairedAt ? -1 : 1)),
    revoke(id) {
      const found = readAll(directory).filter(({ device }) => device.id === id)
      for (const { file } of found) removeFile(file)
      // It must not come back with the power.
      if (found.length > 0) syncPath(directory)
      return found.length > 0
    },
  }
}

function readAll(directory: string): Array<{ file: string; device: Device }> {
  return deviceNames(directory).flatMap((name) => {
    const file = join(directory, name)
    const device = readDevice(file)
    return device ? [{ file, device }] : []
  })
}

function deviceNames(directory: string): string[] {
  return namesIn(directory).filter((name) => /^[0-9a-f]{64}$/.test(name))
}

/** A file that does not say exactly what its device may do lets nobody in. */
function readDevice(file: string): Device | null {
  const text = readIfThere(file)
  if (text === null) return null
  try {
    const { id, name, right, pairedAt } = JSON.parse(text) as Device
    const isWhole = [id, name, pairedAt].every((value) => typeof value === 'string') && DEVICE_RIGHTS.includes(right)
    return isWhole ? { id, name, right, pairedAt } : null
  } catch {
    // Damaged: it has to be paired again.
    return null
  }
}

/** The file's own time says when; its content never changes. */
function noteSeen(file: string, now: Date): void {
  const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (now.getTime() - last < SEEN_EVERY_MS) return
  try {
    utimesSync(file, now, now)
  } catch (error) {
    // Revoked this moment.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function seenAt(file: string): string | null {
  return statSync(file, { throwIfNoEntry: false })?.mtime.toISOString() ?? null
}
