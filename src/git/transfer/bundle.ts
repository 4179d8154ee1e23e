// Commits on their way to another clone, as a git bundle: what no remote has, so that any clone of the same repository can take it.
import { AoError } from '../../contract/errors.ts'
import { lastLines } from '../git.ts'
import { gitOn, type Repository, tryGitOn } from '../repository.ts'

const BUNDLE_MS = 10 * 60_000

/** false: every one of them is on a remote already, so there is nothing to bundle. */
export async function writeBundle(repository: Repository, file: string, refs: readonly string[]): Promise<boolean> {
  if (refs.length === 0) return false
  const counted = await gitOn(repository, ['rev-list', '--count', '--max-count=1', ...refs, '--not', '--remotes'], {
    read: true,
  })
  if (counted.trim() === '0') return false
  await gitOn(repository, ['bundle', 'create', '--quiet', file, ...refs, '--not', '--remotes'], {
    timeoutMs: BUNDLE_MS,
  })
  return true
}

/** Its objects are in the repository afterwards, under no ref. */
export async function takeBundle(repository: Repository, file: string): Promise<void> {
  const verified = await tryGitOn(repository, ['bundle', 'verify', '--quiet', file], { timeoutMs: BUNDLE_MS })
  if (!verified.ok) {
    const missing = /prerequisite commits/.test(verified.stderr)
    const why = missing ? 'this clone lacks the commits that it builds on' : lastLines(verified.stderr, 1)
    throw new AoError('ARCHIVE_INVALID', `The work of the session cannot be taken: ${why}`, {
      hint: missing ? 'Fetch them first with: git fetch --all' : undefined,
    })
  }
  const strict = ['-c', 'fetch.fsckObjects=true', '-c', 'transfer.fsckObjects=true']
  const taken = await tryGitOn(repository, [...strict, 'bundle', 'unbundle', file], { timeoutMs: BUNDLE_MS })
  if (!taken.ok) {
    throw new AoError('ARCHIVE_INVALID', `The work of the session cannot be taken: ${lastLines(taken.stderr, 1)}`)
  }
}
