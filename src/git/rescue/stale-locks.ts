// Lock files of refs that only ao writes, and only under a lock of its own. A killed git and a power loss leave git's locks
// forever, and every later attempt would wait in vain.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, systemClock } from '../../lib/clock.ts'
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

async function clearLock(lock: string): Promise<void> {
  for (;;) {
    const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
    if (made === undefined) return
    const age = systemClock.now().getTime() - made
    if (age > STALE_AFTER_MS) return removeFile(lock)
    await sleep(50)
  }
}
