// One process at a time works on what lands in a project.
import { join } from 'node:path'
import { withFreeLock } from '../../lib/lock.ts'

/** null: another process is at it. */
export async function onlyTrain<T>(projectDir: string, work: () => Promise<T>): Promise<T | null> {
  const done = await withFreeLock(join(projectDir, '.train-lock'), work)
  return done?.result ?? null
}
