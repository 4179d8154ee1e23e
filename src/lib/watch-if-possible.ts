// Watching only makes things faster: every watcher also polls. So a refused watch, for lack of file descriptors or inotify
// watches, is not a failure.
import { type WatchListener, watch } from 'node:fs'

export interface Watch {
  close(): void
}

/** null: it cannot be watched now. */
export function watchIfPossible(path: string, onChange: WatchListener<string>): Watch | null {
  try {
    const watcher = watch(path, onChange)
    // A directory that disappears takes its watch along.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return null
  }
}
