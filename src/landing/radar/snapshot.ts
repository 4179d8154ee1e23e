// The uncommitted work of a checkout as a commit on top of its head. The checkout's files, index and refs are only read;
// the objects go to the radar's own directory.
import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../../git/git.ts'
import { locateGit } from '../../git/git-dir.ts'
import { copyWithTime } from '../../lib/plain-file.ts'
import { removeFile } from '../../lib/remove.ts'

export interface Snapshot {
  /** The snapshot's commit; the head itself when nothing is uncommitted. */
  commit: string
  /** How many files it holds beyond the head. */
  uncommitted: number
  /** What it leaves out, in words. */
  problem: string | null
}

export interface SnapshotRequest {
  directory: string
  head: string
  env: NodeJS.ProcessEnv
  objects: Record<string, string>
  scratch: string
}

const GIT_MS = 30_000
/** Generated files and downloads: nobody's merge depends on them, and hashing them costs seconds. */
const LARGEST_FILE = 1024 * 1024
const MOST_FILES = 2_000
const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply']

export async function takeSnapshot(request: SnapshotRequest): Promise<Snapshot> {
  const { directory, head } = request
  const location = locateGit(directory)
  if (location === null) return { commit: head, uncommitted: 0, problem: 'its directory is not a git checkout' }
  if (UNFINISHED.some((name) => existsSync(join(location.gitDir, name))))
    return { commit: head, uncommitted: 0, problem: 'a merge or rebase is in progress there' }
  const changed = await changedPaths(request)
  if (changed.length === 0) return { commit: head, uncommitted: 0, problem: null }
  const kept = changed.filter((path) => isSmall(directory, path)).slice(0, MOST_FILES)
  const left = changed.length - kept.length
  const problem = left > 0 ? `${left} large uncommitted file${left === 1 ? ' is' : 's are'} left out` : null
  if (kept.length === 0) return { commit: head, uncommitted: 0, problem }
  const commit = await commitPaths(request, location.gitDir, kept)
  return { commit, uncommitted: kept.length, problem }
}

/** Relative to the checkout: changed, deleted and new files that git does not ignore. */
async function changedPaths({ directory, env }: SnapshotRequest): Promise<string[]> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=all']
  const output = await runGit(directory, args, { env, read: true, timeoutMs: GIT_MS })
  return (
    output
      .split('\0')
      .map((entry) => entry.slice(3))
      // A directory is a repository of its own.
      .filter((path) => path !== '' && !path.endsWith('/'))
  )
}

function isSmall(directory: string, path: string): boolean {
  const stats = lstatSync(join(directory, path), { throwIfNoEntry: false })
  // Deleted, or a name that is not UTF-8: git says what it is.
  return stats === undefined || stats.isSymbolicLink() || (stats.isFile() && stats.size <= LARGEST_FILE)
}

/** Always the same for the same work, so that what is known about it stays known. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'ao radar',
  GIT_AUTHOR_EMAIL: 'radar@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'ao radar',
  GIT_COMMITTER_EMAIL: 'radar@localhost',
  GIT_COMMITTER_DATE: '@0 +0000',
}

async function commitPaths(
  { directory, head, env, objects, scratch }: SnapshotRequest,
  gitDir: string,
  paths: string[],
): Promise<string> {
  const index = join(scratch, `index-${nextNumber()}`)
  const source = join(gitDir, 'index')
  if (existsSync(source)) copyWithTime(source, index)
  const call = { env, extraEnv: { ...objects, ...IDENTITY, GIT_INDEX_FILE: index }, timeoutMs: GIT_MS }
  const settings = ['-c', 'core.fsync=none', '-c', 'core.safecrlf=false', '-c', 'core.untrackedCache=false']
  const git = async (args: string[], input?: string) =>
    (await runGit(directory, [...settings, ...args], input === undefined ? call : { ...call, input })).trim()
  try {
    await git(['update-index', '--add', '--remove', '-z', '--stdin'], paths.map((path) => `${path}\0`).join(''))
    const tree = await git(['write-tree'])
    return await git(['commit-tree', tree, '-p', head], 'Uncommitted work\n')
  } finally {
    removeFile(index)
    removeFile(`${index}.lock`)
  }
}

let lastNumber = 0

function nextNumber(): number {
  lastNumber += 1
  return lastNumber
}
