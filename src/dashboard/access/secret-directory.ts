// Issued secrets, as files named by their hashes in a private directory: they survive a restart, none of them can be read
// from the disk, and removing the file is what uses one up, so two processes cannot both do it.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { removeFile } from '../../lib/remove.ts'

export interface SecretDirectory {
  /** `note`: what is remembered with it. */
  give(note?: string): string
  /** null: it is not valid. */
  noteOf(secret: string): string | null
  isGood(secret: string): boolean
  /** true for exactly one caller, while it is valid. */
  take(secret: string): boolean
}

export interface SecretOptions {
  goodForMs: number
  /** One more evicts the oldest. */
  most: number
  clock: Clock
}

export function openSecretDirectory(directory: string, { goodForMs, most, clock }: SecretOptions): SecretDirectory {
  const now = () => clock.now().getTime()
  const isGood = (secret: string) => expiryOf(fileOf(directory, secret)) > now()
  return {
    give(note = '') {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      removeOld(directory, most - 1, now())
      const secret = randomBytes(32).toString('base64url')
      createFileExclusive(fileOf(directory, secret), `${now() + goodForMs}\n${note}`)
      return secret
    },
    noteOf(secret) {
      const text = readIfThere(fileOf(directory, secret)) ?? ''
      return expiryIn(text) > now() ? text.slice(text.indexOf('\n') + 1) : null
    },
    isGood,
    take: (secret) => isGood(secret) && removeOnce(fileOf(directory, secret)),
  }
}

function fileOf(directory: string, secret: string): string {
  return join(directory, createHash('sha256').update(secret).digest('hex'))
}

/** 0: there is none. */
function expiryOf(file: string): number {
  return expiryIn(readIfThere(file) ?? '')
}

function expiryIn(text: string): number {
  return Number(text.split('\n')[0]) || 0
}

function removeOnce(file: string): boolean {
  try {
    unlinkSync(file)
    return true
  } catch (error) {
    // Somebody else was first.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function removeOld(directory: string, most: number, now: number): void {
  const files = readdirSync(directory).map((name) => join(directory, name))
  const dated = files.map((file) => ({
    file,
    until: expiryOf(file),
    madeAt: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }))
  const kept = dated.filter(({ until }) => until > now).sort((a, b) => b.madeAt - a.madeAt || b.until - a.until)
  const wanted = new Set(kept.slice(0, most).map(({ file }) => file))
  for (const file of files) if (!wanted.has(file)) removeFile(file)
}
