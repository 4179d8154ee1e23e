// Calls when the configuration file has changed, once per change, one call at a time. Editors replace files, so its
// directory is watched.
import { readFileSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** An editor may write in several steps. */
const SETTLE_MS = 100

export interface ConfigWatch {
  close(): Promise<void>
}

export function watchConfig(path: string, onChange: () => Promise<void>): ConfigWatch {
  let known = contentOf(path)
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  const look = () => {
    const now = contentOf(path)
    // A file that is away for a moment, or was only touched, changes nothing.
    if (now === null || now === known) return
    known = now
    running = running.then(onChange)
  }
  const watcher = watch(dirname(path), (_event, name) => {
    if (name !== null && name !== basename(path)) return
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(look, SETTLE_MS)
  })
  // A directory that went away takes its watch along; the loop goes on with what it has.
  watcher.on('error', () => watcher.close())
  return {
    async close() {
      watcher.close()
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Being replaced now, or gone: the configuration in force stays.
    return null
  }
}
