// What files that were read before said, while they have not changed: a process that stays reads thousands of them again and again.
import { lstatSync, type Stats } from 'node:fs'

/** Two changes within one tick of a file system's clock look the same: a file this young is read again. */
const SETTLED_MS = 100

type Stamp = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs' | 'mode'>

interface Cached<T> {
  content: T
  stamp: Stamp
}

export interface FileMemory<T> {
  /** null: read it. */
  recall(file: string): T | null
  keep(file: string, content: T, stats: Stats): void
  /** The number of files now: of what is kept in excess of them, the oldest is dropped. */
  limit(files: number): void
}

/** Files come and go; those that went are dropped a few at a time. */
const SPARE = 500

export function createFileMemory<T>(): FileMemory<T> {
  const cache = new Map<string, Cached<T>>()
  return {
    recall(file) {
      const before = cache.get(file)
      if (before === undefined) return null
      const now = lstatSync(file, { throwIfNoEntry: false })
      if (now !== undefined && isSame(before.stamp, now)) return before.content
      cache.delete(file)
      return null
    },
    keep(file, content, stats) {
      if (Date.now() - stats.mtimeMs <= SETTLED_MS) return
      const { ino, size, mtimeMs, ctimeMs, mode } = stats
      cache.set(file, { content, stamp: { ino, size, mtimeMs, ctimeMs, mode } })
    },
    limit(files) {
      if (cache.size <= files + SPARE) return
      for (const file of [...cache.keys()].slice(0, cache.size - files)) cache.delete(file)
    },
  }
}

/** A file that is replaced as a whole gets another inode; an edit in place moves its times. */
function isSame(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.mode === b.mode
}
