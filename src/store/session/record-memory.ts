// Files that were read before and have not changed since: a process that stays reads thousands of records again and again.
import { lstatSync, type Stats } from 'node:fs'

/** Two changes within one tick of a file system's clock look the same: a file this young is read again. */
const SETTLED_MS = 100

type Stamp = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs' | 'mode'>

interface Cached<T> {
  stored: T
  stamp: Stamp
}

export interface RecordMemory<T> {
  /** null: read it. */
  recall(file: string): T | null
  keep(file: string, stored: T, stats: Stats): void
  /** The number of records now: of what is kept in excess of them, the oldest is dropped. */
  limit(records: number): void
}

/** Records come and go; those that went are dropped a few at a time. */
const SPARE = 500

export function createRecordMemory<T>(): RecordMemory<T> {
  const cache = new Map<string, Cached<T>>()
  return {
    recall(file) {
      const before = cache.get(file)
      if (before === undefined) return null
      const now = lstatSync(file, { throwIfNoEntry: false })
      if (now !== undefined && isSame(before.stamp, now)) return before.stored
      cache.delete(file)
      return null
    },
    keep(file, stored, stats) {
      if (Date.now() - stats.mtimeMs <= SETTLED_MS) return
      const { ino, size, mtimeMs, ctimeMs, mode } = stats
      cache.set(file, { stored, stamp: { ino, size, mtimeMs, ctimeMs, mode } })
    },
    limit(records) {
      if (cache.size <= records + SPARE) return
      for (const file of [...cache.keys()].slice(0, cache.size - records)) cache.delete(file)
    },
  }
}

/** A record is replaced as a whole, so it gets another inode; an edit in place moves its times. */
function isSame(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.mode === b.mode
}
