// Stopped means that nothing of the session runs any more. agh does it; without its daemon we do.
import { AoError } from '../../contract/errors.ts'
import { formatIdentity, parseIdentity } from '../../lib/process/process-identity.ts'
import { stopProcesses } from '../../lib/process/process-tree.ts'
import type { AcpHandle } from './acp-handle.ts'
import { type DaemonLink, isNotRunning } from './daemon-link.ts'
import { judgeLife, lookAtSession } from './look-at-sessions.ts'

export interface DestroyOptions {
  force: boolean
  graceMs: number | undefined
}

export async function destroySession(link: DaemonLink, handle: AcpHandle, options: DestroyOptions): Promise<void> {
  const look = await lookAtSession(link, handle)
  const life = judgeLife(handle, look)
  // Another start of the same session has taken over: that one is not ours to stop.
  if (life.state !== 'dead') await stopByDaemon(link, handle, options)
  const agent = look.kind === 'left' ? parseIdentity(look.meta.process?.identity ?? '') : null
  const left = await stopProcesses(handle.spawnId, agent ? [agent] : [], {
    graceMs: options.force ? 0 : (options.graceMs ?? GRACE_MS),
    workspacePath: handle.workspacePath,
  })
  if (left.length === 0) return
  throw new AoError(
    'RUNTIME_FAILED',
    `Processes of ${handle.name} are still there: ${left.map(formatIdentity).join(', ')}`,
  )
}

const GRACE_MS = 3_000

async function stopByDaemon(link: DaemonLink, handle: AcpHandle, { force, graceMs }: DestroyOptions): Promise<void> {
  const body = { force, grace_ms: graceMs }
  try {
    await link.call('POST /api/driver/sessions/:id/stop', { params: { id: handle.session }, body })
  } catch (error) {
    // It went away meanwhile; then the processes are found by their marker.
    if (!isNotRunning(error) && !isReset(error)) throw error
  }
}

function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(String((error as NodeJS.ErrnoException).code))
}
