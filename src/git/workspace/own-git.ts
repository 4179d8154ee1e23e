// The git that ao runs on a workspace outlives an ao that is killed. Its marker (record.ts) identifies those processes to the next
// command, so that they are ended before anything else is done there.
import { AoError } from '../../contract/errors.ts'
import { stopProcesses } from '../../lib/process/process-tree.ts'
import { gitMarker, type WorkspaceRecord } from './record.ts'

/** Lets git remove its own lock files. */
const GRACE_MS = 2_000

/** Ends what an interrupted command left working on the workspace. */
export async function endOrphanedGit(path: string, record: WorkspaceRecord): Promise<void> {
  await endMarked(path, gitMarker(record))
}

/** The same for a creation that is rolled back: nothing of it stays, not even what its hooks and commands started. */
export async function endCreation(path: string, record: WorkspaceRecord): Promise<void> {
  await endMarked(path, record.spawnId)
  await endMarked(path, gitMarker(record))
}

async function endMarked(path: string, marker: string): Promise<void> {
  const { left } = await stopProcesses(marker, [], { graceMs: GRACE_MS })
  const [first] = left
  if (first === undefined) return
  throw new AoError(
    'WORKSPACE_FAILED',
    `Process ${first.pid}, left by an interrupted command, still works in ${path}`,
    {
      hint: `End it by hand, then try again: kill -9 ${first.pid}`,
      details: { path, pid: first.pid },
    },
  )
}
