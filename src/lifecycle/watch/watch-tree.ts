// Watches a directory with all below it, directory by directory. Node's own recursive watching follows files instead, and
// loses a file that is replaced by renaming, which is how git writes branches and we write everything.
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join, relative } from 'node:path'

/** Beyond this the poll has to do. */
const MOST_DIRECTORIES = 5_000

/** Throws when the directory itself cannot be watched. `name` is relative to it. */
export function watchTree(root: string, onChange: (name: string) => void): { close(): void } {
  const open = new Map<string, { watcher: FSWatcher; identity: string }>()

  function add(directory: string): void {
    if (open.size >= MOST_DIRECTORIES) return
    const watcher = watch(directory, (_event, name) => {
      const path = name === null ? directory : join(directory, name)
      onChange(relative(root, path))
      // What was put into a new directory before we watched it is told here.
      if (addBelow(path)) onChange(relative(root, path))
    })
    watcher.on('error', () => forget(directory))
    open.set(directory, { watcher, identity: identityOf(directory) ?? '' })
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) addBelow(join(directory, entry.name))
    }
  }

  /** false: it is no directory, or known already. */
  function addBelow(path: string): boolean {
    try {
      const identity = identityOf(path)
      if (identity === open.get(path)?.identity) return false
      // Gone, or another one under the same name: the old watch is deaf.
      forget(path)
      if (identity === null) return false
      add(path)
      return true
    } catch {
      // It went away while we looked, or may not be read: the poll has to do.
      return false
    }
  }

  function forget(path: string): void {
    open.get(path)?.watcher.close()
    open.delete(path)
  }

  const close = () => {
    for (const path of [...open.keys()]) forget(path)
  }
  try {
    add(root)
  } catch (error) {
    close()
    throw error
  }
  return { close }
}

/** null: there is no directory. A number alone is soon given to the next one. */
function identityOf(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() ? `${stat.ino} ${stat.birthtimeMs}` : null
}
