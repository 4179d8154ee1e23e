// Calls back when the configuration file has changed, once per change, one call at a time. Editors replace files, so its
// directory is watched; and it is polled in any case, as a watch can miss changes on some disks.
import { basename, dirname } from 'node:path'
import { watchIfPossible } from '../../lib/watch-if-possible.ts'

/** An editor may write in several steps. */
const SETTLE_MS = 100
const POLL_MS = 3_000

export interface ConfigWatch {
  close(): Promise<void>
}

export interface ConfigWatchOptions {
  /** A fingerprint of the state; null: unknown at the moment. */
  digest(): string | null
  /** The state before the watch began; without it the current state counts as known. */
  initial?: string | null | undefined
}

export function watchConfig(path: string, onChange: () => Promise<void>, options: ConfigWatchOptions): ConfigWatch {
  const { digest } = options
  let seen = options.initial === undefined ? digest() : options.initial
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  const readConfig = () => {
    const now = digest()
    // A file that is briefly missing, or was only touched, has not changed.
    if (now === null || now === seen) return
    seen = now
    running = running.then(onChange)
  }
  const readConfigSoon = () => {
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(readConfig, SETTLE_MS)
  }
  const watcher = watchIfPossible(dirname(path), (_event, name) => {
    if (name === null || name === basename(path)) readConfigSoon()
  })
  const regularly = setInterval(readConfig, POLL_MS)
  readConfigSoon()
  return {
    async close() {
      watcher?.close()
      clearInterval(regularly)
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}
