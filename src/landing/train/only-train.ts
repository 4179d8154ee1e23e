// One process at a time works on what lands in a project.
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { withLock } from '../../lib/lock.ts'

/** null: another process is at it. */
export async function onlyTrain<T>(projectDir: string, work: () => Promise<T>): Promise<T | null> {
  let isOurs = false
  try {
    return await withLock(
      join(projectDir, '.train-lock'),
      async () => {
        isOurs = true
        return work()
      },
      { timeoutMs: 50 },
    )
  } catch (error) {
    if (!isOurs && error instanceof AoError && error.code === 'LOCK_TIMEOUT') return null
    throw error
  }
}
