// Stopped means that no process of the session is left. agh does it; without its daemon we do.
import { sessionDirectory } from '../../agh/paths.ts'
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import type { LeftProcess } from '../../contract/session.ts'
import { endHost } from '../../host/end.ts'
import { hostDirectory } from '../../host/files.ts'
import { formatIdentity, parseIdentity } from '../../lib/process/process-identity.ts'
import { stopProcesses } from '../../lib/process/process-tree.ts'
import type { DestroyOptions } from '../../slots/runtime.ts'
import type { AcpHandle } from './acp-handle.ts'
import { type DaemonLink, isNotRunning } from './daemon-link.ts'
import { judgeLife, observeOne } from './observe-sessions.ts'

export interface StopRequest extends DestroyOptions {
  force: boolean
  graceMs: number | undefined
}

export async function destroySession(link: DaemonLink, handle: AcpHandle, options: StopRequest): Promise<void> {
  const observed = await observeOne(link, handle)
  const life = judgeLife(handle, observed)
  // Another start of the same session has taken over: that one is not ours to stop.
  const byDaemon = life.state === 'dead' ? [] : await stopByDaemon(link, handle, options)
  const agent = observed.kind === 'left' ? parseIdentity(observed.meta.process?.identity ?? '') : null
  const { left, unproven } = await stopProcesses(handle.spawnId, agent ? [agent] : [], {
    graceMs: options.force ? 0 : (options.graceMs ?? GRACE_MS),
    workspacePath: handle.workspacePath,
  })
  const leftRunning = byDaemon.length > 0 ? byDaemon : unproven
  if (leftRunning.length > 0) options.onLeftRunning?.(leftRunning)
  if (left.length === 0) {
    // Without a daemon nobody else takes the end of the agent from its host.
    endHost(hostDirectory(sessionDirectory(link.paths, handle.session), handle.spawnId))
    return
  }
  throw new AoError(
    'RUNTIME_FAILED',
    `Processes of ${shownName(handle.name)} are still there: ${left.map(formatIdentity).join(', ')}`,
  )
}

const GRACE_MS = 3_000

async function stopByDaemon(
  link: DaemonLink,
  handle: AcpHandle,
  { force, graceMs }: StopRequest,
): Promise<LeftProcess[]> {
  const body = { force, grace_ms: graceMs }
  try {
    const { session } = await link.call('POST /api/driver/sessions/:id/stop', { params: { id: handle.session }, body })
    return session.left_running ?? []
  } catch (error) {
    // It disappeared meanwhile; then the processes are found by their marker.
    if (!isNotRunning(error) && !isReset(error)) throw error
    return []
  }
}

function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code))
}
