// One agent is stopped where it is, as `ao pause` stops all of them, and goes on when the reason is over: a used-up budget. What is
// about to be done is in its record first, so that whoever finds half of it finishes it.
import { recordOf } from '../../contract/record.ts'
import type { AgentStop } from '../../contract/record-values.ts'
import type { Session } from '../../contract/session.ts'
import { isRestorable, isTerminalSession } from '../../contract/status.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { continueFamilies, freeLocks, stopFamilies } from '../../lib/process/stop-families.ts'
import { isPaused, readPause } from '../../store/fleet-pause.ts'
import { type ManagerContext, requireActive } from '../context.ts'
import { deliverHeld } from '../deliver.ts'
import { restore } from '../launch/restore.ts'
import { enrichOne } from '../observe/enrich.ts'
import { send } from '../send.ts'
import { endTurns, stillRunning } from './end-turns.ts'
import { setElsewhere } from './pause-fleet.ts'
import { CONTINUE } from './resume-fleet.ts'

/** false: it cannot be stopped where it is, and goes on. */
export async function pauseAgent(context: ManagerContext, sessionId: string, why: string): Promise<boolean> {
  const found = requireActive(context, sessionId)
  const session = await enrichOne(context, found)
  const { spawnId, stopped } = recordOf(session)
  if (stopped?.state === 'stopped' && stopped.spawnId === spawnId) return true
  if (spawnId === undefined || session.runtimeHandle === null || isTerminalSession(session)) return false
  const stop: AgentStop = { state: 'stopping', at: context.clock.now().toISOString(), why, spawnId }
  await found.store.update(sessionId, { stopped: stop })
  failpoint('agent-pause.intended')
  const how = await stopIt(context, session, spawnId)
  failpoint('agent-pause.stopped')
  await found.store.update(sessionId, { stopped: how && { ...stop, state: 'stopped', interrupted: how === 'turn' } })
  return how !== null
}

/** `turn`: its terminal lets nobody be stopped, so its turn was ended. null: neither is possible. */
async function stopIt(context: ManagerContext, session: Session, spawnId: string): Promise<'process' | 'turn' | null> {
  if (recordOf(session).place !== undefined)
    return (await setElsewhere(context, session.runtimeHandle!, true)) === null ? 'process' : null
  const families = stopFamilies([spawnId])
  if (families.get(spawnId)!.length === 0) return null
  const { dir, locks } = context.store(session.projectId).paths
  await freeLocks([locks], families)
  const running = await stillRunning(families)
  if (running.size === 0) return 'process'
  const here = [{ projectDir: dir, sessionId: session.id, spawnId }]
  const failed = await endTurns(context, { running, here, sessions: new Map([[spawnId, session]]) })
  return failed.length === 0 ? 'turn' : null
}

/** false: it is not stopped by itself, or everything is paused, and then it goes on after that. */
export async function resumeAgent(context: ManagerContext, sessionId: string): Promise<boolean> {
  const found = requireActive(context, sessionId)
  const { record } = found.stored
  const { stopped, spawnId } = record
  if (stopped === undefined || isPaused(readPause(context.paths))) return false
  const { store } = found
  if (stopped.spawnId === spawnId) {
    await store.update(sessionId, { stopped: { ...stopped, state: 'continuing' } })
    failpoint('agent-resume.intended')
    const session = await enrichOne(context, found)
    if (record.place !== undefined) {
      const failed = session.runtimeHandle && (await setElsewhere(context, session.runtimeHandle, false))
      if (failed) throw new Error(failed)
    } else await continueHere(context, session, stopped)
    failpoint('agent-resume.continued')
  }
  await store.update(sessionId, ({ stopped: now }) => (now?.spawnId === stopped.spawnId ? { stopped: null } : {}))
  await deliverHeld(context, sessionId).catch(() => null)
  return true
}

/** One whose process is gone, as after a reboot, is restored. */
async function continueHere(context: ManagerContext, session: Session, stopped: AgentStop): Promise<void> {
  const isThere = continueFamilies([stopped.spawnId]).get(stopped.spawnId)!.length > 0
  if (!isThere && !isRestorable(session)) return
  if (!isThere) await restore(context, session.id)
  if (!isThere || stopped.interrupted) await send(context, session.id, CONTINUE, { source: 'resume' })
}
