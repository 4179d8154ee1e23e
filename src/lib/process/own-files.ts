// Whether the files that this process was started from are still there. An upgrade replaces or removes them under a running
// loop, and whatever it loads late is missing from then on.
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** `gone`: removed, and nothing has taken their place yet. */
export type OwnFiles = 'same' | 'replaced' | 'gone'

interface Started {
  entry: string
  /** Each file with its identity at the start. */
  files: ReadonlyArray<readonly [path: string, identity: string | null]>
}

/** Of this process; there is only one. */
let started: Started | null = null

/** `entry`: what node runs. `others`: files that only this very version has. */
export function rememberOwnFiles(entry: string, others: readonly string[] = []): void {
  started = { entry, files: [entry, ...others].map((path) => [path, identityOf(path)] as const) }
}

/** `same` for a process that never asked to have them remembered. */
export function ownFiles(): OwnFiles {
  if (started === null || started.files.every(([path, identity]) => identityOf(path) === identity)) return 'same'
  return existsSync(started.entry) ? 'replaced' : 'gone'
}

const CHECK_MS = 1_000

/** An installation takes a while: the new files count once they stay as they are, and once `works` says so. */
export function watchOwnFiles(options: {
  /** They changed in some way; work that needs them fails until the restart. */
  onChange(now: OwnFiles): void
  works(): Promise<boolean>
  onReplaced(): void
  stop: AbortSignal
}): void {
  let before: OwnFiles = 'same'
  let settling: string | null = null
  let isTrying = false
  const timer = setInterval(() => {
    const now = ownFiles()
    if (now !== before) options.onChange(now)
    before = now
    const identity = now === 'replaced' && started !== null ? newIdentity(started.entry) : null
    if (identity !== null && identity === settling && !isTrying) void tryNew(identity)
    settling = identity
  }, CHECK_MS)
  const tryNew = async (identity: string) => {
    isTrying = true
    const works = await options.works()
    isTrying = false
    if (!works || identity !== settling || options.stop.aborted) return
    clearInterval(timer)
    options.onReplaced()
  }
  timer.unref()
  options.stop.addEventListener('abort', () => clearInterval(timer), { once: true })
}

/** With the number of files beside it: some installers copy them one by one. */
function newIdentity(entry: string): string | null {
  try {
    return `${identityOf(entry)} ${readdirSync(dirname(realpathSync(entry))).length}`
  } catch {
    // Gone again: not yet.
    return null
  }
}

function identityOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}`
}
