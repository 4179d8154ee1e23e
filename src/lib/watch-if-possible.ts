// Watching only makes things quicker: whoever watches also looks now and then. So a watch that is refused, for lack of file
// descriptors or inotify watches, is no failure.
import { type WatchListener, watch } from 'node:fs'

export interface Watch {
  close(): void
}

/** null: it cannot be watched now. */
export function watchIfPossible(path: string, onChange: WatchListener<string>): Watch | null {
  try {
    const watcher = watch(path, onChange)
    // A directory that went away takes its watch along.
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return null
  }
}
