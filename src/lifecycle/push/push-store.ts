// Browsers that want push messages: one private file each. A subscription belongs to the sign-in of its browser or device, and
// is worth nothing once that has ended, however it ended.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { newerVersionIn, writeFileAtomic } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { removeFile } from '../../lib/remove.ts'

export interface PushSubscriber {
  endpoint: string
  keys: { p256dh: string; auth: string }
  /** Whether its notifications may make a sound. */
  sound: boolean
  owner: PushOwner
}

/** `key`: the hash of its token or cookie, which names the file of the sign-in. */
export interface PushOwner {
  kind: 'device' | 'browser'
  key: string
}

export interface PushStore {
  add(subscriber: PushSubscriber): void
  /** Only for its owner. false: there was none. */
  remove(endpoint: string, owner?: PushOwner): boolean
  /** Those whose owner is still signed in; the others are forgotten. By name. */
  list(): Map<string, PushSubscriber>
}

export interface PushFiles {
  push: string
  browsers: string
  devices: string
}

const MOST = 100

export function openPushStore(files: PushFiles, clock: Clock): PushStore {
  const fileOf = (endpoint: string) => join(files.push, nameOf(endpoint))
  return {
    add(subscriber) {
      mkdirSync(files.push, { recursive: true, mode: 0o700 })
      const file = fileOf(subscriber.endpoint)
      if (readIfThere(file) === null && readNames(files.push).length >= MOST)
        throw new AoError('STATE_REFUSED', `${MOST} browsers get push messages already`, {
          hint: 'Sign out those that are no longer used, or revoke devices: ao device ls',
        })
      writeFileAtomic(file, `${JSON.stringify(subscriber)}\n`)
    },
    remove(endpoint, owner) {
      const file = fileOf(endpoint)
      const existing = readSubscriber(file)
      if (!existing || (owner && !isSame(existing.owner, owner))) return false
      removeFile(file)
      return true
    },
    list() {
      const now = clock.now().getTime()
      const found = new Map<string, PushSubscriber>()
      for (const name of readNames(files.push)) {
        if (newerVersionIn(join(files.push, name)) !== null) continue
        const subscriber = readSubscriber(join(files.push, name))
        if (subscriber && isSignedIn(files, subscriber.owner, now)) found.set(name, subscriber)
        else removeFile(join(files.push, name))
      }
      return found
    },
  }
}

function nameOf(endpoint: string): string {
  return createHash('sha256').update(endpoint).digest('hex').slice(0, 32)
}

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => /^[0-9a-f]{32}$/.test(name))
  } catch (error) {
    // Nobody ever asked for push messages.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function readSubscriber(file: string): PushSubscriber | null {
  try {
    const text = readIfThere(file)
    return text === null ? null : (JSON.parse(text) as PushSubscriber)
  } catch (error) {
    // Damaged: the browser has to ask again.
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function isSignedIn(files: PushFiles, { kind, key }: PushOwner, now: number): boolean {
  if (!/^[0-9a-f]{64}$/.test(key)) return false
  const text = readIfThere(join(kind === 'device' ? files.devices : files.browsers, key))
  if (text === null) return false
  // The file of a browser begins with when its sign-in ends.
  return kind === 'device' || Number(text.split('\n')[0]) > now
}

function isSame(one: PushOwner, other: PushOwner): boolean {
  return one.kind === other.kind && one.key === other.key
}
