// Which worktrees exist, as registered by git.
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listRegistrations } from '../../git/checkouts.ts'
import { locateGit } from '../../git/git-dir.ts'
import type { Repository } from '../../git/repository.ts'
import { isUnfinished, readMarker } from '../../git/workspace/record.ts'
import type { WorkspaceInfo } from '../../slots/workspace.ts'

/** With `repository`: a worktree of that one. Neither a broken link nor an unfinished one is a worktree. */
export function isWorktree(path: string, repository?: Repository): boolean {
  if (isUnfinished(path)) return false
  const location = locateGit(path)
  if (!location?.linked) return false
  return repository === undefined || repository.commonDir === location.commonDir
}

/** Those of one project below our base directory. */
export function listWorktrees(repository: Repository, base: string, projectId: string): WorkspaceInfo[] {
  const directory = join(base, projectId)
  if (!existsSync(directory)) return []
  const real = realpathSync(directory)
  return listRegistrations(repository)
    .filter((one) => dirname(one.path) === real && existsSync(one.path))
    .map((one) => {
      const sessionId = basename(one.path)
      const marker = readMarker(one.gitDir)
      return {
        path: join(directory, sessionId),
        branch: one.branch ?? marker?.branch ?? '',
        sessionId,
        projectId,
        branchCreated: marker?.branchCreated ?? false,
      }
    })
}
