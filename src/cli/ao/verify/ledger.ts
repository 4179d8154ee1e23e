// What was read whole at the last verification: records and histories hold no hashes of themselves, so these are kept beside them. A file
// that is no longer what it was, although ao has not replaced it, was damaged or changed by somebody else.
import { createHash, type Hash } from 'node:crypto'
import { type BigIntStats, closeSync, fstatSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorText } from '../../../contract/errors.ts'
import { FORMATS, newerFormat } from '../../../contract/formats.ts'
import { isChanged, type Nature, type Seal } from '../../../core/text/judge-seal.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { openPlain, readIfThere, readRange } from '../../../lib/plain-file.ts'
import { sha256Hex } from '../../../lib/sha256-hex.ts'
import type { AoPaths } from '../../../store/paths.ts'

export interface Ledger {
  /** Where it is kept. */
  file: string
  /** When it was last written; null: this is the first time. */
  at: string | null
  /** It could not be read, so nothing is compared with it. */
  problem: string | null
  /** A newer program wrote it: nothing is compared with it, and it stays as it is. */
  isNewer: boolean
  /** Whether the file is no longer what it was; `key`: what it is noted under. Throws what keeps it from being read. */
  check(path: string, nature: Nature, key?: string): boolean
  /** The same for what is not compared as bytes; `beginning`: see `isChanged`. */
  compare(key: string, nature: Nature, now: Seal, beginning: (before: Seal) => string | null): boolean
  before(key: string): Seal | undefined
  /** What was there the last time and has not been asked about since. */
  unseen(): string[]
  keep(key: string): void
  /** What was found to be changed or is gone stays as it was noted. */
  save(beganAt: Date): void
}

interface Content {
  version?: number
  at: string
  seals: Record<string, Seal>
}

const MAX_BYTES = 256 * 1024 * 1024

export function openLedger(paths: AoPaths): Ledger {
  const file = join(dirname(paths.observability), 'verified.json')
  const { content, problem, isNewer } = readContent(file)
  const before = new Map(Object.entries(content?.seals ?? {}))
  const after = new Map<string, Seal>()
  const ledger: Ledger = {
    file,
    at: content?.at ?? null,
    problem,
    isNewer,
    before: (key) => before.get(key),
    keep: (key) => void after.set(key, before.get(key)!),
    unseen: () => [...before.keys()].filter((key) => !after.has(key)),
    check(path, nature, key = path) {
      const { seal, beginning } = sealOf(path, nature, before.get(key))
      return ledger.compare(key, nature, seal, () => beginning)
    },
    compare(key, nature, now, beginning) {
      const old = before.get(key)
      const changed = isChanged(nature, old, now, old === undefined ? null : beginning(old))
      after.set(key, changed ? old! : now)
      return changed
    },
    save(beganAt) {
      if (isNewer) return
      const text = JSON.stringify({ at: beganAt.toISOString(), seals: Object.fromEntries(after) } satisfies Content)
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileAtomic(file, `${sha256Hex(text)}\n${text}\n`)
    },
  }
  return ledger
}

/** Its first line is the hash of the second. */
function readContent(file: string): { content: Content | null; problem: string | null; isNewer: boolean } {
  try {
    const [hash, text] = (readIfThere(file, { maxBytes: MAX_BYTES }) ?? '').split('\n')
    if (!hash && !text) return { content: null, problem: null, isNewer: false }
    if (text === undefined || hash !== sha256Hex(text)) throw new Error(`${file} is damaged`)
    const content = JSON.parse(text) as Content
    const { version = 1 } = content
    if (version <= FORMATS.seals) return { content, problem: null, isNewer: false }
    return { content: null, problem: newerFormat(file, version, FORMATS.seals).message, isNewer: true }
  } catch (error) {
    return { content: null, problem: errorText(error), isNewer: false }
  }
}

const PIECE = 256 * 1024

/** In pieces, however large it is. */
function sealOf(path: string, nature: Nature, before: Seal | undefined): { seal: Seal; beginning: string | null } {
  const fd = openPlain(path)
  try {
    const stats = fstatSync(fd, { bigint: true })
    const bytes = nature === 'grows' ? endOfLines(fd, Number(stats.size)) : Number(stats.size)
    const hash = createHash('sha256')
    const mark = before === undefined || before.bytes > bytes ? null : before.bytes
    if (mark !== null) feed(hash, fd, 0, mark)
    const beginning = mark === null ? null : hash.copy().digest('hex')
    feed(hash, fd, mark ?? 0, bytes)
    return { seal: { file: fileId(stats), bytes, sha256: hash.digest('hex') }, beginning }
  } finally {
    closeSync(fd)
  }
}

/** A number is given to another file again; together with the moment at which it was made it is not. */
export function fileId({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino}:${birthtimeNs}`
}

function feed(hash: Hash, fd: number, from: number, to: number): void {
  for (let at = from; at < to; ) {
    const piece = readRange(fd, at, Math.min(to, at + PIECE))
    if (piece.length === 0) return
    hash.update(piece)
    at += piece.length
  }
}

/** Behind the last newline: what follows is being written, or its writer was killed. */
function endOfLines(fd: number, size: number): number {
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - PIECE)
    const at = readRange(fd, from, end).lastIndexOf(0x0a)
    if (at >= 0) return from + at + 1
    end = from
  }
  return 0
}
