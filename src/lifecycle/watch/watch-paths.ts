// A set of watched files and directories, updated on demand. What the system has no watch for is reported as changed now and then.
import { watch } from 'node:fs'
import { isThere } from '../../lib/plain-file.ts'
import { isLimit, watchTree } from './watch-tree.ts'

export interface WatchTarget {
  path: string
  recursive?: boolean
  /** `name`: what changed in the directory; null: the system does not say. */
  onChange(name: string | null): void
}

export interface WatchedPaths {
  /** Closes what is no longer wanted, opens what is new or did not exist before. */
  set(targets: WatchTarget[]): void
  close(): void
}

const POLL_MS = 10_000

export function createWatchedPaths(onTrouble: (why: string) => void): WatchedPaths {
  const open = new Map<string, { close(): void }>()
  const forget = (path: string) => {
    open.get(path)?.close()
    open.delete(path)
  }

  function add(target: WatchTarget): void {
    const { path, recursive = false, onChange } = target
    if (open.has(path)) return
    try {
      // It does not exist yet: tried again later.
      if (!isThere(path)) return
      if (recursive) {
        open.set(
          path,
          watchTree(path, onChange, () => poll(target)),
        )
        return
      }
      const watcher = watch(path, (event, name) => {
        onChange(name)
        // A replaced file is a different one from now on; the next `set` finds it.
        if (event === 'rename' && name !== null && path.endsWith(`/${name}`)) forget(path)
      })
      watcher.on('error', () => forget(path))
      open.set(path, watcher)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      // It is gone meanwhile.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') onTrouble(`${path} cannot be watched: ${code}`)
      if (isLimit(error)) poll(target)
    }
  }

  /** Until it can be watched: whatever happened to it meanwhile, nobody reported. */
  function poll(target: WatchTarget): void {
    forget(target.path)
    const timer = setTimeout(() => {
      open.delete(target.path)
      add(target)
      target.onChange(null)
    }, POLL_MS)
    timer.unref()
    open.set(target.path, { close: () => clearTimeout(timer) })
  }

  return {
    set(targets) {
      const wanted = new Set(targets.map(({ path }) => path))
      for (const path of [...open.keys()]) if (!wanted.has(path)) forget(path)
      // Outer directories first: an inner one that appears meanwhile is then a change in them.
      for (const target of targets.toSorted((a, b) => a.path.length - b.path.length)) add(target)
    },
    close() {
      for (const path of [...open.keys()]) forget(path)
    },
  }
}
