// Removes a workspace's directory so that no interruption leaves half of it at its path: its destination is recorded, it is
// moved there in one step, and only there is it deleted. Every step may be repeated.
import { existsSync, lstatSync, mkdirSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { currentProcess, formatIdentity } from '../../lib/process/process-identity.ts'
import { syncFileSystems } from '../../lib/sync-file-systems.ts'
import { removeRecord, updateRecord, type WorkspaceRecord } from './record.ts'
import { moveToTrash, trashPath } from './trash.ts'

export interface Removal {
  path: string
  record: WorkspaceRecord
  /** Makes the repository forget it; runs when the path is free. */
  forget: () => Promise<void>
  /** Called with what could not be deleted; it stays in the trash for a week. */
  onLeft: (what: string) => void
}

export async function removeDirectory({ path, record, forget, onLeft }: Removal): Promise<void> {
  const trash = record.trash ?? trashPath(path)
  // An unfinished creation stays one: the next command has to roll it back, branch included.
  const state = record.state === 'creating' ? 'creating' : 'removing'
  updateRecord(path, { ...record, state, trash, owner: formatIdentity(currentProcess()) })
  failpoint('workspace.remove.recorded')
  // Commits that the agent made are all that is left of its work, and git does not sync them by itself.
  if (state === 'removing' && existsSync(record.repository)) await syncFileSystems([record.repository])
  moveAway(path, trash, onLeft)
  failpoint('workspace.remove.moved')
  await forget()
  failpoint('workspace.remove.forgotten')
  await rm(trash, { recursive: true, force: true }).catch((error) => {
    onLeft(`${trash} could not be deleted completely: ${errorText(error)}`)
  })
  failpoint('workspace.remove.deleted')
  removeRecord(path)
}

/** The workspace has left its path; whatever is there now is something else. */
export function isMovedAway(record: WorkspaceRecord): boolean {
  return record.state === 'removing' && record.trash !== undefined && existsSync(record.trash)
}

function moveAway(path: string, trash: string, onLeft: (what: string) => void): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  if (existsSync(trash)) {
    // The workspace has already been moved: this appeared afterwards, and nothing says that it is saved.
    onLeft(`${path} appeared while the workspace was being removed and is now ${moveToTrash(path)}`)
    return
  }
  mkdirSync(dirname(trash), { recursive: true, mode: 0o700 })
  try {
    renameSync(path, trash)
  } catch (error) {
    throw new AoError('WORKSPACE_FAILED', `${path} could not be moved to the trash: ${errorText(error)}`, {
      hint: `Nothing of it was removed. Find out what holds it: lsof +D '${path}'`,
      details: { path, trash },
      cause: error,
    })
  }
}
