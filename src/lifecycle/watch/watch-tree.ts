// Watches a directory tree, directory by directory. Node's own recursive watching follows files instead, and loses a file
// that is replaced by renaming, which is how git writes branches and we write everything.
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join, relative } from 'node:path'

/** Beyond this the poll has to suffice. */
const MOST_DIRECTORIES = 5_000

/** Throws when the directory itself cannot be watched, or one in it because of a limit. `name` is relative to it. */
export function watchTree(
  root: string,
  onChange: (name: string) => void,
  /** A directory that came later is beyond the system's limit. */
  onLimit: (error: unknown) => void,
): { close(): void } {
  const open = new Map<string, { watcher: FSWatcher; identity: string }>()

  function add(directory: string): void {
    if (open.size >= MOST_DIRECTORIES) return
    const watcher = watch(directory, (_event, name) => {
      const path = name === null ? directory : join(directory, name)
      onChange(relative(root, path))
      try {
        // Files put into a new directory before we watched it are reported here.
        if (addBelow(path)) onChange(relative(root, path))
      } catch (error) {
        onLimit(error)
      }
    })
    watcher.on('error', () => forget(directory))
    open.set(directory, { watcher, identity: identityOf(directory) ?? '' })
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) addBelow(join(directory, entry.name))
    }
  }

  /** false: not a directory, or already known. Throws at the system's limit. */
  function addBelow(path: string): boolean {
    try {
      const identity = identityOf(path)
      if (identity === open.get(path)?.identity) return false
      // Gone, or a different one under the same name: the old watch receives nothing.
      forget(path)
      if (identity === null) return false
      add(path)
      return true
    } catch (error) {
      if (isLimit(error)) throw error
      // It disappeared meanwhile, or is unreadable: the poll has to suffice.
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

/** A user's processes share a number of watches, and there may be a free one later. */
export function isLimit(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOSPC'].includes((error as NodeJS.ErrnoException).code ?? '')
}

/** null: there is no directory. An inode number alone is soon reused. */
function identityOf(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isDirectory() ? `${stat.ino} ${stat.birthtimeMs}` : null
}
