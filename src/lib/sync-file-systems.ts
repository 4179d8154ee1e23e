// What other programs wrote survives a power loss: git syncs its objects for us, but no files that it checks out, and agents sync
// nothing. One flush of the file system takes tens of milliseconds, whatever the number of files.
import { AoError } from '../contract/errors.ts'
import { exec } from './exec.ts'

/** A disk that is busy with other things is not waited for longer. */
const TIMEOUT_MS = 30_000

/** Everything that was written so far on the file systems of these paths. */
export async function syncFileSystems(paths: readonly string[]): Promise<void> {
  // Elsewhere `sync` takes no arguments, and flushes all of them.
  const args = process.platform === 'linux' ? ['-f', ...paths] : []
  const { ok, timedOut, startError, stderr } = await exec('sync', args, { timeoutMs: TIMEOUT_MS })
  // A system without the program has nothing else to offer.
  if (ok || timedOut || startError?.code === 'ENOENT') return
  throw new AoError('FILE_UNUSABLE', `The disk could not be synced: ${startError?.message ?? stderr.trim()}`, {
    details: { paths: [...paths] },
  })
}
