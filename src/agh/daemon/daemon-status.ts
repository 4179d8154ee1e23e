// What a running daemon says about itself.
import type { DaemonStatus } from '../../contract/agh/answers.ts'
import { AoError } from '../../contract/errors.ts'
import { callDaemon } from '../client/client.ts'
import type { AghPaths } from '../paths.ts'

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

/** One that answers and stays; an older daemon says nothing else than running. */
export async function steadyStatus(paths: AghPaths): Promise<DaemonStatus | null> {
  const status = await daemonStatus(paths)
  return status?.status === 'running' ? status : null
}
