// The git that ao runs on a workspace outlives an ao that is killed. A marker in its environment identifies those processes
// to the next command, so that they are ended before anything else is done there.
import { AoError } from '../../contract/errors.ts'
import { SPAWN_MARKER, stopProcesses } from '../../lib/process/process-tree.ts'
import { readRecord, type WorkspaceRecord } from './record.ts'

/** Lets git remove its own lock files. */
const GRACE_MS = 2_000

/**
 * Environment for git that reads, saves or fills the workspace. Its creation has a marker of its own: hooks run there, and
 * what they leave running belongs to the workspace as long as it is in use.
 */
export function markedEnv(path: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const record = readRecord(path)
  return record === null ? env : { ...env, ...creationEnv(record), [SPAWN_MARKER]: gitMarker(record) }
}

/** The same for git that creates it. */
export function creationEnv({ spawnId, fetchesNothing }: WorkspaceRecord): Record<string, string> {
  return { [SPAWN_MARKER]: spawnId, ...(fetchesNothing && FETCH_NOTHING) }
}

/** git-lfs writes what is here, and asks no server for the rest. */
export const FETCH_NOTHING = { GIT_LFS_SKIP_SMUDGE: '1' }

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

function gitMarker(record: WorkspaceRecord): string {
  return `${record.spawnId}-git`
}
