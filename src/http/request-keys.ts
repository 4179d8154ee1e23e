// The `Idempotency-Key` of a request: what was sent twice under one key is done once, and both get the same answer, after a
// restart of the server too. One file per key: the intent before the act, the answer after it. When a server ended in between,
// whether the act was done is unknown, and it is not repeated.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../contract/errors.ts'
import { createFileExclusive, writeFileAtomic } from '../lib/atomic-write.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { readIfThere } from '../lib/plain-file.ts'
import { currentProcess, formatIdentity, parseIdentity, processState } from '../lib/process/process-identity.ts'
import { removeFile } from '../lib/remove.ts'

/** As it is sent: an error is an answer too. */
export interface KeptAnswer {
  status: number
  value: unknown
  isError: boolean
}

export interface RequestKeys {
  /** Throws when the key was used for something else, or when nobody can tell how the request ended. */
  once(request: KeyedRequest, act: () => Promise<KeptAnswer>): Promise<{ answer: KeptAnswer; isReplay: boolean }>
}

export interface KeyedRequest {
  key: string
  /** Method, path and body: what must be the same under one key. */
  content: string | Buffer
}

interface KeptRequest {
  fingerprint: string
  /** `pid:start:boot` of the server that carries it out. */
  owner: string
  answer?: KeptAnswer
}

const KEY_DAYS = 1
const KEY_MS = KEY_DAYS * 24 * 60 * 60_000
const MOST_KEYS = 2_000
const SWEEP_MS = 60_000

export interface RequestKeysOptions {
  directory: string
  clock: Clock
  log: Log
  most?: number
}

export function openRequestKeys({ directory, clock, log, most = MOST_KEYS }: RequestKeysOptions): RequestKeys {
  const acting = new Map<string, { fingerprint: string; answer: Promise<KeptAnswer> }>()
  const now = () => clock.now().getTime()
  let sweptAt = Number.NEGATIVE_INFINITY

  function begin(file: string, kept: KeptRequest): void {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    if (now() - sweptAt > SWEEP_MS) {
      sweptAt = now()
      sweep(directory, { now: now(), most, isActing: (name) => acting.has(name) })
    }
    if (!createFileExclusive(file, JSON.stringify(kept))) throw inProgress()
  }

  async function act(file: string, kept: KeptRequest, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
    const answer = await work()
    try {
      writeFileAtomic(file, JSON.stringify({ ...kept, answer }))
    } catch (error) {
      // It was done, and its caller hears so. A repetition is refused: the intent is still there.
      log.error(`the answer to a request with an Idempotency-Key was not kept: ${errorText(error)}`)
    }
    return answer
  }

  return {
    async once({ key, content }, work) {
      const name = digestOf(key)
      const file = join(directory, name)
      const fingerprint = digestOf(content)
      const running = acting.get(name)
      if (running) {
        requireSame(running.fingerprint, fingerprint)
        return { answer: await running.answer, isReplay: true }
      }
      const stored = readKept(file, now())
      if (stored) return { answer: storedAnswer(stored, fingerprint), isReplay: true }
      const kept: KeptRequest = { fingerprint, owner: formatIdentity(currentProcess()) }
      begin(file, kept)
      const answer = act(file, kept, work)
      acting.set(name, { fingerprint, answer })
      try {
        return { answer: await answer, isReplay: false }
      } finally {
        acting.delete(name)
      }
    },
  }
}

/** null: the key is new, or expired. A file that cannot be read is not nothing: what it stands for may have been done. */
function readKept(file: string, now: number): KeptRequest | 'unreadable' | null {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) return null
  if (now - found.mtimeMs > KEY_MS) {
    removeFile(file)
    return null
  }
  try {
    const kept = JSON.parse(readIfThere(file) ?? '') as KeptRequest
    return typeof kept.fingerprint === 'string' && typeof kept.owner === 'string' ? kept : 'unreadable'
  } catch {
    return 'unreadable'
  }
}

function storedAnswer(kept: KeptRequest | 'unreadable', fingerprint: string): KeptAnswer {
  if (kept === 'unreadable') throw outcomeUnknown()
  requireSame(kept.fingerprint, fingerprint)
  if (kept.answer) return kept.answer
  const owner = parseIdentity(kept.owner)
  const isOurs = kept.owner === formatIdentity(currentProcess())
  if (owner !== null && !isOurs && processState(owner) === 'alive') throw inProgress()
  throw outcomeUnknown()
}

function requireSame(kept: string, given: string): void {
  if (kept === given) return
  throw new AoError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was sent before with another request')
}

function inProgress(): AoError {
  return new AoError('REQUEST_IN_PROGRESS', 'The request with this Idempotency-Key is still being carried out')
}

function outcomeUnknown(): AoError {
  return new AoError(
    'OUTCOME_UNKNOWN',
    'The server ended while it carried out the request with this Idempotency-Key, so it may or may not have been done; it is not repeated',
  )
}

interface SweepRule {
  now: number
  most: number
  isActing(name: string): boolean
}

/** Expired keys go, and the oldest beyond `most`. */
function sweep(directory: string, { now, most, isActing }: SweepRule): void {
  const kept = readdirSync(directory)
    .map((name) => ({ name, at: statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .filter(({ name }) => !isActing(name))
    .sort((a, b) => b.at - a.at)
  for (const [index, { name, at }] of kept.entries()) {
    if (index >= most || now - at > KEY_MS) removeFile(join(directory, name))
  }
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

const KEY = /^[\x21-\x7e]{1,255}$/

/** null: none was sent. */
export function readRequestKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && KEY.test(header)) return header
  throw new AoError('USAGE', 'An Idempotency-Key is 1 to 255 printable characters without spaces', {
    hint: 'Use a UUID',
  })
}
