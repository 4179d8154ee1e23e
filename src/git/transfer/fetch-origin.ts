// Fetches from origin before a workspace is created: at most one fetch per repository and half minute, across all
// processes, and never a reason to fail. Offline work must remain possible.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../contract/errors.ts'
import { systemClock } from '../../lib/clock.ts'
import { withLock } from '../../lib/lock.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { gitOn, type Repository } from '../repository.ts'

const FRESH_MS = 30_000
const FETCH_TIMEOUT_MS = 10_000

export async function fetchOrigin(repository: Repository, onProgress: (line: string) => void): Promise<void> {
  if (!hasOrigin(repository) || isFresh(repository)) return
  if (wouldMoveBranches(repository)) {
    onProgress('Did not fetch from origin: remote.origin.fetch would move branches of this repository')
    return
  }
  try {
    await withLock(join(repository.commonDir, 'ao-fetch.lock'), () => fetchOnce(repository), {
      timeoutMs: FETCH_TIMEOUT_MS + 2_000,
    })
  } catch (error) {
    onProgress(`Could not fetch from origin, continuing with the local branches: ${errorText(error)}`)
  }
}

async function fetchOnce(repository: Repository): Promise<void> {
  // The previous holder of the lock has just done it.
  if (isFresh(repository)) return
  await gitOn(repository, ['fetch', '--quiet', '--no-recurse-submodules', 'origin'], {
    timeoutMs: FETCH_TIMEOUT_MS,
    lockWaitMs: 0,
  })
}

function hasOrigin(repository: Repository): boolean {
  const config = readPlainText(join(repository.commonDir, 'config'))
  return /^\s*\[remote "origin"\]/m.test(config)
}

/** A refspec of the repository that writes to its own branches: an agent could move the base branch with our fetch. */
function wouldMoveBranches(repository: Repository): boolean {
  const config = readPlainText(join(repository.commonDir, 'config'))
  return /^\s*fetch\s*=.*:\s*refs\/(?!remotes\/|tags\/|notes\/)/im.test(config)
}

/** Git touches FETCH_HEAD when it starts, so an unresponsive remote is not retried immediately either. */
function isFresh(repository: Repository): boolean {
  const fetchHead = statSync(join(repository.commonDir, 'FETCH_HEAD'), { throwIfNoEntry: false })
  return fetchHead !== undefined && Math.abs(systemClock.now().getTime() - fetchHead.mtimeMs) < FRESH_MS
}
