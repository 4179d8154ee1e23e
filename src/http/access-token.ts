// The bearer token of API clients: in a file that only its user can read, created at the first start and kept.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { createFileExclusive } from '../lib/atomic-write.ts'
import { readIfThere } from '../lib/plain-file.ts'

export function readOrMakeToken(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // Two servers that start at once end up with the same one.
  if (readIfThere(file) === null) createFileExclusive(file, `${randomBytes(32).toString('base64url')}\n`)
  // Whatever a backup or an editor made of it.
  chmodSync(file, 0o600)
  const token = (readIfThere(file) ?? '').trim()
  if (token.length >= SHORTEST_TOKEN) return token
  throw new AoError('CONFIG_INVALID', `The token in ${file} is too short to be one`, {
    hint: `Remove it, a new one is made: rm '${file}'`,
  })
}

export const SHORTEST_TOKEN = 16

/** In constant time. */
export function isSameSecret(given: string, wanted: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(wanted))
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
