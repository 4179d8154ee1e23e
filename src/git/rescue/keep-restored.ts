// The end of a restore: from here on the workspace contains work, and the restored rescue is settled. Until then everything
// can be rolled back, and the rescue is still the one to restore.
import { AoError } from '../../contract/errors.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { syncFileSystems } from '../../lib/sync-file-systems.ts'
import { locateGit } from '../git-dir.ts'
import type { Repository } from '../repository.ts'
import { readRecord, updateRecord, type WorkspaceRecord, writeMarker } from '../workspace/record.ts'
import { listRescues, settleUpTo } from './rescue-commit.ts'
import { clearRescueLocks } from './stale-locks.ts'

export async function keepRestored(path: string, sessionId: string, store: Repository): Promise<void> {
  const record = readRecord(path)
  if (record === null) return
  const location = locateGit(path)
  if (location === null) {
    throw new AoError('WORKSPACE_FAILED', `The restored workspace ${path} no longer exists`, { details: { path } })
  }
  if (record.state !== 'ready') {
    const { trash: _trash, ...rest } = record
    // The rescue is settled below: from then on the files are the work.
    await syncFileSystems([path, location.gitDir])
    const ready: WorkspaceRecord = { ...rest, state: 'ready' }
    writeMarker(location.gitDir, ready)
    updateRecord(path, ready)
  }
  failpoint('rescue.kept')
  await settleApplied(path, sessionId, store)
}

/** Records in the repository that the rescue is restored. Repeated when a crash came between the record and the ref. */
export async function settleApplied(path: string, sessionId: string, store: Repository): Promise<void> {
  const record = readRecord(path)
  if (record?.state !== 'ready' || record.settles === undefined) return
  const { settles, ...settled } = record
  await clearRescueLocks(store, sessionId)
  // Two saved in the same second may be the same commit: the newest is the one that was restored.
  const rescue = (await listRescues(store, sessionId)).findLast(({ commit }) => commit === settles)
  if (rescue !== undefined) await settleUpTo(store, sessionId, rescue)
  failpoint('rescue.settled')
  updateRecord(path, settled)
}
