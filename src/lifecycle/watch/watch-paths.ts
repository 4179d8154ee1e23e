// A set of watched files and directories, updated on demand. Anything that cannot be watched is left to the poll.
import { watch } from 'node:fs'
import { watchTree } from './watch-tree.ts'

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

export function createWatchedPaths(onTrouble: (why: string) => void): WatchedPaths {
  const open = new Map<string, { close(): void }>()
  const forget = (path: string) => {
    open.get(path)?.close()
    open.delete(path)
  }

  function add({ path, recursive = false, onChange }: WatchTarget): void {
    if (open.has(path)) return
    try {
      if (recursive) {
        open.set(path, watchTree(path, onChange))
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
      // It does not exist yet: tried again later.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') onTrouble(`${path} cannot be watched: ${code}`)
    }
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
