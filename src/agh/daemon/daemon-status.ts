// What a running daemon says about itself.
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import { callDaemon } from '../client.ts'
import type { AghPaths } from '../paths.ts'

const POLL_MS = 100
const NOTE_MS = 5_000

/** null: no daemon answers. */
export async function daemonStatus(paths: AghPaths, signal?: AbortSignal): Promise<DaemonStatus | null> {
  try {
    return await callDaemon(paths.socket, 'GET /api/daemon/status', { signal })
  } catch (error) {
    if (error instanceof AoError && error.code === 'DAEMON_NOT_RUNNING') return null
    // Killed while it was being asked.
    if (['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '')) return null
    throw error
  }
}

/** One that answers and stays; what needs a session waits for it there. An older daemon says nothing else than running. */
export async function steadyStatus(paths: AghPaths): Promise<DaemonStatus | null> {
  const status = await daemonStatus(paths)
  return status?.status === 'running' || status?.status === 'starting' ? status : null
}

/** Resolves when it has continued or repaired all sessions, or has ended; `onWait` is called now and then. */
export async function repairedStatus(
  paths: AghPaths,
  first: DaemonStatus,
  onWait: (left: number) => void,
): Promise<DaemonStatus> {
  let status = first
  for (let noted = performance.now(); status.status === 'starting'; await sleep(POLL_MS)) {
    status = (await daemonStatus(paths)) ?? { ...status, status: 'stopping' }
    if (performance.now() - noted < NOTE_MS) continue
    noted = performance.now()
    onWait(status.repairs_left)
  }
  return status
}
