// Git's own lock files under many processes: which failure means "someone holds a lock", how long to wait, and a queue so
// that this process never competes with itself. A lock file is never removed, as its owner may be alive, but for refs of ao's own.

import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { sleep, systemClock } from '../lib/clock.ts'
import type { ExecResult } from '../lib/exec.ts'
import { createTurns } from '../lib/lock/turns.ts'
import { withFreeLock } from '../lib/lock.ts'
import { removeFile } from '../lib/remove.ts'

const LOCK_WAIT_MS = 30_000

/** Only "File exists" is contention; a full disk or a missing permission reads differently and must not be retried. */
const CONTENTION = [/Unable to create '([^']+\.lock)': File exists/, /could not lock config file ([^\n]+): File exists/]

/** The lock that another process holds, or null when the run failed for any other reason. */
export function contendedLock(result: ExecResult): string | null {
  if (result.ok || result.timedOut) return null
  for (const pattern of CONTENTION) {
    const found = pattern.exec(result.stderr)?.[1]
    if (found !== undefined) return found.endsWith('.lock') ? found : `${found}.lock`
  }
  return null
}

/** Git reads the data of all worktrees and meets one that another git is just writing. */
const HALF_WRITTEN = /failed to read .{0,500}worktrees\/[^/]+\/(?:commondir|gitdir)/

/** Will the same command probably succeed in a moment? */
export function isContention(result: ExecResult): boolean {
  if (contendedLock(result) !== null) return true
  return !result.ok && !result.timedOut && HALF_WRITTEN.test(result.stderr)
}

/**
 * Retries while another process is in the way, with growing random delays. Returns the last result. `clears` may remove the lock of
 * nobody: then it returns true.
 */
export async function retryWhileLocked(
  run: () => Promise<ExecResult>,
  waitMs: number = LOCK_WAIT_MS,
  clears: (lock: string) => Promise<boolean> = async () => false,
): Promise<ExecResult> {
  const deadline = performance.now() + waitMs
  for (let attempt = 0; ; attempt++) {
    const result = await run()
    if (!isContention(result)) return result
    const pause = Math.min(20 * 2 ** attempt, 500) * (0.5 + Math.random())
    const lock = contendedLock(result)
    if (lock !== null && (await clears(lock))) continue
    if (performance.now() + pause > deadline) return result
    await sleep(pause)
  }
}

/** Runs `work` when everything queued before it for the same repository (by its common directory) has ended. */
export const queueForRepository = createTurns().run

/** Git closes the locks of a large transaction long before it is done with them: 3,000 refs take seconds. */
const LEFT_AFTER_MS = 10 * 60_000
/** And nobody has touched it for as long as somebody waits. */
const UNCHANGED_MS = 2_000

/** Notes of its own are proofs. */
const OWN_REF = /^refs\/(?:ao|notes\/ao)\//

/**
 * For whoever waits for git's locks: the lock of a ref of ao's own is removed when it is older than any git holds one, and no process has it
 * open, which only Linux tells. That of a branch or an index may be the user's, and stays. true: it was removed.
 */
export function clearsOwnLocks(findCommonDir: () => string | null): (lock: string) => Promise<boolean> {
  let met: { file: string | null; since: number } = { file: null, since: 0 }
  return async (lock) => {
    const commonDir = findCommonDir()
    const ref = commonDir === null ? '' : relative(commonDir, lock)
    if (commonDir === null || !OWN_REF.test(ref) || lock !== join(commonDir, ref)) return false
    const file = identityOf(lock)
    if (file !== met.file) met = { file, since: performance.now() }
    if (file === null || performance.now() - met.since < UNCHANGED_MS || (await mayBeOpen(lock))) return false
    // Of several that have waited for it only one removes it: the next would remove what the first has locked since.
    const removed = await withFreeLock(join(commonDir, 'ao-locks.lock'), async () => {
      if (identityOf(lock) !== file) return false
      removeFile(lock)
      return true
    })
    return removed?.result ?? false
  }
}

/** null: it is none that was left, or may be somewhere else. */
function identityOf(lock: string): string | null {
  try {
    const stat = lstatSync(lock)
    const isLeft = stat.isFile() && systemClock.now().getTime() - stat.mtimeMs > LEFT_AFTER_MS
    const directory = dirname(lock)
    return isLeft && realpathSync(directory) === directory ? `${lock} ${stat.ino} ${stat.mtimeMs}` : null
  } catch {
    // Unreadable: it stays.
    return null
  }
}

async function mayBeOpen(lock: string): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const { holdersOf } = await import('../lib/process/peer-process.ts')
  return holdersOf(lock).length > 0
}
