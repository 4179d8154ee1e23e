// The daemon ends: its sessions end with it, or their agents go on and the next daemon continues them.
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { endLostHosts } from '../store/lost-hosts.ts'
import type { AghContext } from './context.ts'
import { leaveRunning, stopLive } from './finish.ts'
import { listSessions } from './list-sessions.ts'
import { repairUnwritten } from './repair-session.ts'

/** All at once, so that one that hangs does not delay the others. */
export async function shutdown(context: AghContext): Promise<SessionMeta[]> {
  context.closing = true
  const stopAll = () =>
    Promise.all([...context.live.values()].map((session) => stopLive(context, session, { kind: 'shutdown' })))
  const ended = await stopAll()
  // Starts that have not registered their session yet.
  await Promise.allSettled(context.starting.values())
  await stopAll()
  await context.coordinating.ended()
  context.hosts.close()
  await repairUnwritten(context)
  await endDamaged(context)
  return ended
}

/** The agents of sessions whose metadata cannot be read are ended with all the others. */
async function endDamaged(context: AghContext): Promise<void> {
  for (const { session_id } of (await listSessions(context)).damaged) {
    await ignoreFailure(`the agent of ${session_id} may still run`, context.log, async () => {
      await endLostHosts(context.paths, session_id)
    })
  }
}

/** Leaves the agents as they are: the next daemon continues their sessions. A start is completed first, an end too. */
export async function leaveAll(context: AghContext): Promise<void> {
  context.closing = true
  await Promise.allSettled(context.starting.values())
  const live = [...context.live.values()]
  const left = live.map((session) => session.finishing ?? leaveRunning(context, session))
  context.leaving.abort()
  await Promise.all(left)
  context.hosts.close()
  await repairUnwritten(context)
}
