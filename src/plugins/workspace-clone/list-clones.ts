// Which clones exist, according to the records next to them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { branchOf } from '../../git/checkouts.ts'
import { locateGit } from '../../git/git-dir.ts'
import type { Repository } from '../../git/repository.ts'
import { isUnfinished, listRecords, readRecord } from '../../git/workspace/record.ts'
import type { WorkspaceInfo } from '../../slots/workspace.ts'

/** With `repository`: a clone made from that one. An unfinished one is not a clone yet. */
export function isClone(path: string, repository?: Repository): boolean {
  if (isUnfinished(path)) return false
  if (locateGit(path)?.linked !== false) return false
  const record = readRecord(path)
  return repository === undefined || record === null || record.repository === repository.commonDir
}

export function listClones(repository: Repository, base: string, projectId: string): WorkspaceInfo[] {
  return listRecords(join(base, projectId))
    .filter(({ path, record }) => record.repository === repository.commonDir && existsSync(join(path, '.git')))
    .map(({ path, record }) => ({
      path,
      branch: branchOf(join(path, '.git')) ?? record.branch,
      sessionId: record.sessionId,
      projectId,
      branchCreated: record.branchCreated,
    }))
}
