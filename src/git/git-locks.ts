// Git's own lock files under many processes: which failure means "someone holds a lock", how long to wait, and a queue so
// that this process never competes with itself. No lock file is removed here: its owner may be alive (rescue/stale-locks.ts).

import { sleep } from '../lib/clock.ts'
import type { ExecResult } from '../lib/exec.ts'
import { createTurns } from '../lib/lock/turns.ts'

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
