// Lock files of refs that only ao writes, and only under a lock of its own. A killed git and a power loss leave git's locks
// forever, and every later attempt would wait in vain.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, systemClock } from '../../lib/clock.ts'
import { withFreeLock } from '../../lib/lock.ts'
import { removeFile } from '../../lib/remove.ts'
import type { Repository } from '../repository.ts'

/** Git holds one for milliseconds, even during the user's own gc. */
const STALE_AFTER_MS = 2_000

/** Call it when no git of an earlier command is working for the session. */
export async function clearRescueLocks({ commonDir }: Repository, sessionId: string): Promise<void> {
  for (const kind of ['rescue', 'settled']) {
    const directory = join(commonDir, 'refs', 'ao', kind, sessionId)
    const names = existsSync(directory) ? readdirSync(directory) : []
    for (const name of names) if (name.endsWith('.lock')) await clearLock(join(directory, name))
  }
}

/** For the branch that an interrupted creation was making. */
export async function clearBranchLock({ commonDir }: Repository, branch: string): Promise<void> {
  await clearLock(join(commonDir, 'refs', 'heads', `${branch}.lock`))
}

/** Notes of its own are proofs. */
const OWN_REF = /refs\/(?:ao|notes\/ao)\/(?!.*\.\.).+$/

/**
 * For whoever waits for git's locks: the lock of a ref of ao's own is removed when the same file has been in the way for longer than a git
 * holds one, and no process has it open. That of a branch or an index may be the user's, and stays.
 */
export function clearsOwnLocks(findCommonDir: () => string | null): (lock: string) => Promise<boolean> {
  let met = { file: '', since: 0 }
  return async (lock) => {
    const ref = OWN_REF.exec(lock)?.[0]
    const commonDir = ref === undefined ? null : findCommonDir()
    if (commonDir === null || lock !== join(commonDir, ref!)) return false
    const file = identityOf(lock)
    if (file !== met.file) met = { file, since: performance.now() }
    if (performance.now() - met.since < STALE_AFTER_MS || (await isOpen(lock))) return false
    // Of several that have waited for it only one removes it: the next would remove what the first has locked since.
    const removed = await withFreeLock(join(commonDir, 'ao-locks.lock'), async () => {
      if (identityOf(lock) === file) removeFile(lock)
    })
    return removed !== null
  }
}

function identityOf(lock: string): string {
  const stat = statSync(lock, { throwIfNoEntry: false })
  return `${lock} ${stat?.ino} ${stat?.mtimeMs}`
}

async function isOpen(lock: string): Promise<boolean> {
  const { holdersOf } = await import('../../lib/process/peer-process.ts')
  return process.platform === 'linux' && holdersOf(lock).length > 0
}

async function clearLock(lock: string): Promise<void> {
  for (;;) {
    const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
    if (made === undefined) return
    const age = systemClock.now().getTime() - made
    if (age > STALE_AFTER_MS) return removeFile(lock)
    await sleep(50)
  }
}
