// What interrupted commands left in the directory of a project's workspaces, according to the records there.
import { existsSync } from 'node:fs'
import { findHalfWritten } from '../../lib/atomic-write.ts'
import { currentProcess, formatIdentity, mayBeAlive } from '../../lib/process/process-identity.ts'
import { removeFile, removeTree } from '../../lib/remove.ts'
import type { Leftover } from '../../slots/workspace.ts'
import { locateGit } from '../git-dir.ts'
import type { Repository } from '../repository.ts'
import { abandonedScratch } from '../rescue/rescue-commit.ts'
import { listRecords, type WorkspaceRecord } from './record.ts'

export interface Search {
  /** `{base}/{project}` */
  directory: string
  repository: Repository
  isSound: (path: string) => boolean
  /** Finishes a removal, rolls back an unfinished creation, drops the record of a directory that is gone. */
  destroy: (path: string) => Promise<void>
}

export function findWorkspaceLeftovers({ directory, repository, isSound, destroy }: Search): Leftover[] {
  if (!existsSync(directory)) return []
  const temporary = findHalfWritten(directory).map((path): Leftover => {
    return { path, what: 'half-written file of a killed process', remove: async () => removeFile(path) }
  })
  const ours = listRecords(directory).filter(({ record }) => record.repository === repository.commonDir)
  const left = ours.flatMap(({ path, record }): Leftover[] => {
    const remove = () => destroy(path)
    if (record.state !== 'ready' && isAtWork(record)) return []
    if (record.state === 'creating') return [{ path, what: 'a workspace whose creation was interrupted', remove }]
    if (record.state === 'removing') return [{ path, what: 'a workspace whose removal was interrupted', remove }]
    if (!existsSync(path)) return [{ path, what: 'the record of a workspace that is gone', remove }]
    return isSound(path) ? scratchOf(path) : [{ path, what: 'a directory that is no longer a workspace' }]
  })
  return [...temporary, ...left]
}

/** Indexes of a command that was killed while it saved the work there. */
function scratchOf(workspace: string): Leftover[] {
  const location = locateGit(workspace)
  return (location === null ? [] : abandonedScratch(location.gitDir)).map((path) => {
    const remove = async () => removeTree(path)
    return { path, what: 'temporary indexes of a killed process', remove }
  })
}

function isAtWork({ owner }: WorkspaceRecord): boolean {
  return owner !== formatIdentity(currentProcess()) && mayBeAlive(owner)
}
