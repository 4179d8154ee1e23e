// A file in a workspace's git directory from the moment it is made again until its rescued work is back in it. While it
// is there, what the workspace holds is not newer work: it must not take the rescue's place.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { locateGit } from '../git-dir.ts'
import type { Repository } from '../repository.ts'
import { openRescue } from './rescue-refs.ts'

const MARK = 'ao-restoring'

/** For a workspace that was just made again: is there work to bring back? */
export async function expectRescue(store: Repository, sessionId: string, path: string): Promise<void> {
  const rescue = await openRescue(store, sessionId)
  const location = locateGit(path)
  if (rescue !== null && location !== null) setRestoring(location.gitDir, rescue.commit)
}

export function setRestoring(gitDir: string, commit: string): void {
  writeFileAtomic(join(gitDir, MARK), `${commit}\n`)
}

export function isRestoring(gitDir: string): boolean {
  return existsSync(join(gitDir, MARK))
}

export function clearRestoring(gitDir: string): void {
  rmSync(join(gitDir, MARK), { force: true })
}
