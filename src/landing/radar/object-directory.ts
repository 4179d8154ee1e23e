// Where the radar's snapshots and merges put their objects: directories of its own, never the user's repository. Snapshots
// stay as long as the process; a tried merge is read and thrown away, in memory where the system has a directory for that.
import { mkdirSync, mkdtempSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { objectEnv } from '../../git/guard/alternates.ts'
import { currentProcess, formatIdentity, parseIdentity, processState } from '../../lib/process/process-identity.ts'
import { removeTree } from '../../lib/remove.ts'

export interface ObjectDirectory {
  /** Of what stays. */
  directory: string
  /** For every git command of the radar. `others`: object directories of clones. */
  env(commonDir: string, others: readonly string[]): Record<string, string>
  /** The same for commands whose objects nobody needs after `remove`. */
  throwaway(commonDir: string, others: readonly string[]): { env: Record<string, string>; remove(): void }
  /** Scratch files, such as temporary indexes. */
  scratch: string
  remove(): void
}

const SHARED_MEMORY = '/dev/shm'
const PREFIX = 'ao-radar-'
/** Containers often have 64 MB of it. */
const LEAST_FREE = 256 * 1024 * 1024

export function createObjectDirectory(projectDir: string): ObjectDirectory {
  const root = join(projectDir, 'radar')
  mkdirSync(root, { recursive: true, mode: 0o700 })
  sweep(root)
  sweep(SHARED_MEMORY)
  const own = mkdtempSync(join(root, ownPrefix()))
  const objects = join(own, 'objects')
  const scratch = join(own, 'scratch')
  for (const path of [objects, scratch]) mkdirSync(path, { mode: 0o700 })
  const thrownAway = new Set<string>()
  return {
    directory: objects,
    env: (commonDir, others) => objectEnv(objects, [join(commonDir, 'objects'), ...others]),
    throwaway(commonDir, others) {
      const directory = mkdtempSync(join(hasSharedMemory() ? SHARED_MEMORY : scratch, ownPrefix()))
      return {
        env: objectEnv(directory, [objects, join(commonDir, 'objects'), ...others]),
        remove() {
          thrownAway.add(directory)
          // Hundreds of directories: nobody waits for that. What a killed process left is swept by the next one.
          void rm(directory, { recursive: true, force: true, maxRetries: 3 }).then(
            () => thrownAway.delete(directory),
            () => undefined,
          )
        },
      }
    },
    scratch,
    remove() {
      for (const directory of [own, ...thrownAway]) removeAll(directory)
    },
  }
}

function hasSharedMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY)
    return bavail * bsize >= LEAST_FREE
  } catch {
    // Not on this system.
    return false
  }
}

function ownPrefix(): string {
  return `${PREFIX}${formatIdentity(currentProcess())}.`
}

/** What processes that were killed left here. One that may be alive keeps its own. */
function sweep(directory: string): void {
  for (const name of namesIn(directory)) {
    if (!name.startsWith(PREFIX)) continue
    const owner = parseIdentity(name.slice(PREFIX.length).replace(/\.[^.]*$/, ''))
    const path = join(directory, name)
    if (owner === null || processState(owner) !== 'dead' || !isOurs(path)) continue
    removeAll(path)
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    // Not on this system.
    return []
  }
}

/** Everybody may write to the shared memory. */
function isOurs(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.()
}

function removeAll(path: string): void {
  removeTree(path, { maxRetries: 3 })
}
