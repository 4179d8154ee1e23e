// Words become keyed hashes: the same word is the same hash within one start of the loop, and nobody can find it out again, because
// the key is kept nowhere. What a decision compares stays comparable: fingerprints are masked word by word.
import { createHmac, randomBytes } from 'node:crypto'
import { pullNumber } from '../../contract/ids.ts'
import type { ReactionMemory, ReactionRecord, WorkProgress } from '../../contract/reactions.ts'

export interface Mask {
  (word: string): string
  /** With its number, and nothing else of it. */
  url(url: string): string
  fingerprint(text: string): string
  memory(memory: ReactionMemory): ReactionMemory
  key(memoryKey: string): string
}

/** Letters that are in no hexadecimal number, and no digits: signatures of logs leave them as they are. */
const LETTERS = 'ghijklmnopqrstuv'
const LENGTH = 14
const MOST_CACHED = 20_000

export function createMask(secret: Buffer = randomBytes(32)): Mask {
  const cached = new Map<string, string>()
  const hash = (word: string): string => {
    if (word === '') return ''
    const before = cached.get(word)
    if (before !== undefined) return before
    const hex = createHmac('sha256', secret).update(word).digest('hex').slice(0, LENGTH)
    const masked = [...hex].map((digit) => LETTERS[Number.parseInt(digit, 16)]).join('')
    if (cached.size >= MOST_CACHED) cached.clear()
    cached.set(word, masked)
    return masked
  }
  const url = (text: string): string => {
    const number = pullNumber(text)
    const repository = hash(text.replace(/(?<!\d)\d+\/?$/, ''))
    return `https://${repository}.invalid/o/r/pull/${number ?? 0}`
  }
  const fingerprint = (text: string) => text.split(' ').map(wordOf).join(' ')
  const wordOf = (word: string): string => {
    if (PLAIN.test(word) || LITERAL.has(word)) return word
    if (word.includes('://')) return url(word)
    const [id, path, ...more] = word.split(':')
    // A collision: session and file, each as one word.
    if (id && path && more.length === 0) return `${hash(decoded(id))}:${hash(decoded(path))}`
    return hash(word)
  }
  /** What fails with another session: that session, and check and test as one word. */
  const failureOf = (word: string): string => {
    const [, id, what] = /^([^!:]+)!(.+)$/.exec(word) ?? []
    return id && what ? `${hash(decoded(id))}!${hash(decoded(what))}%20` : wordOf(word)
  }
  const key = (memoryKey: string): string => {
    const [reaction = '', pull] = memoryKey.split(' ')
    return pull === undefined ? reaction : `${reaction} ${url(pull)}`
  }
  const progress = ({ head, pr, attendedAt }: WorkProgress): WorkProgress => ({
    ...(head !== undefined && { head: hash(head) }),
    ...(pr !== undefined && { pr: pr === '' ? '' : groups(pr.split(' '), 4).map(maskPull).sort().join(' ') }),
    ...(attendedAt !== undefined && { attendedAt }),
  })
  const maskPull = ([address = '', head = '', ...states]: string[]) => [url(address), hash(head), ...states].join(' ')
  const record = (name: string, one: ReactionRecord): ReactionRecord => {
    // Launch and account, both of the configuration.
    const text = (all: string) => {
      if (name === 'collision') return all.split(' ').map(failureOf).join(' ')
      return name === 'limit-reached' ? all.replace(/[^\w.: -]/g, '') : fingerprint(all)
    }
    return {
      ...one,
      fingerprint: text(one.fingerprint),
      told: text(one.told),
      heard: one.heard === undefined ? undefined : text(one.heard),
      progress: one.progress && progress(one.progress),
    }
  }
  const memory = (all: ReactionMemory): ReactionMemory =>
    Object.fromEntries(Object.entries(all).flatMap(([name, one]) => (one ? [[key(name), record(name, one)]] : [])))
  return Object.assign(hash, { url, fingerprint, memory, key })
}

/** Numbers and times. */
const PLAIN = /^(?:[0-9][0-9.:TZ-]*|verdict-[0-9]+)$/
const LITERAL = new Set(
  'conflicts conflict red stranded refused failed outdated unread session project-day day notify pause stop'.split(' '),
)

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // Not one of ours: any hash of it is as good.
    return part
  }
}

function groups<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  )
}
