// The end of a pause: exactly those go on that were stopped, whatever has become of their processes.
import { errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isRestorable } from '../../contract/status.ts'
import { continueFamilies, type Families } from '../../lib/process/stop-families.ts'
import { changePause, type FleetPause, readPause, type StoppedAgent } from '../../store/fleet-pause.ts'
import { storedSessions } from '../active.ts'
import type { ManagerContext } from '../context.ts'
import { deliverHeld } from '../deliver.ts'
import { restore } from '../launch/restore.ts'
import { list } from '../observe/enrich.ts'
import { send } from '../send.ts'
import type { NotStopped } from './end-turns.ts'
import { elsewhereOf, recordedAgents, setElsewhere, stoppedAlone } from './pause-fleet.ts'

export interface Resumed {
  /** Session ids that go on. */
  continued: string[]
  /** Their processes were gone, as after a reboot: restored, and asked to continue where they were in a turn. */
  restored: string[]
  failed: NotStopped[]
}

/** null: nothing is paused. */
export async function resumeFleet(context: ManagerContext): Promise<Resumed | null> {
  if (readPause(context.paths) === null) return null
  // Before the first of them goes on: what a killed command leaves is resumed by the next one, not stopped again by the loop.
  const found = await changePause(context.paths, (before) => before && { ...before, state: 'resuming' })
  if (found === null) return null
  const alone = stoppedAlone(context.paths.dataDir)
  const pause = { ...found, stopped: found.stopped.filter(({ spawnId }) => !alone.has(spawnId)) }
  const agents = [...recordedAgents(context.paths.dataDir), ...pause.stopped]
  const spawnIds = new Set(agents.map(({ spawnId }) => spawnId).filter((spawnId) => !alone.has(spawnId)))
  const families = continueFamilies([...spawnIds])
  const elsewhere = await continueElsewhere(context, pause)
  const restored = await restoreEnded(context, pause, families)
  const unasked = await continueTurns(context, pause, families)
  await changePause(context.paths, (now) => now && stillStopped(now, elsewhere.failed))
  const continued = pause.stopped.filter(({ spawnId }) => families.get(spawnId)!.length > 0)
  await releaseMessages(context)
  return {
    continued: [...continued.map(({ sessionId }) => sessionId), ...elsewhere.continued],
    restored: restored.restored,
    failed: [...elsewhere.failed, ...restored.failed, ...unasked],
  }
}

/** Agents in places that could not be reached stay stopped there: it is resumed again, by the loop or by a person. null: none. */
function stillStopped(pause: FleetPause, failed: readonly NotStopped[]): FleetPause | null {
  const ids = new Set(failed.map(({ sessionId }) => sessionId))
  const stopped = pause.stopped.filter(({ place, sessionId }) => place !== undefined && ids.has(sessionId))
  // Paused again meanwhile: that stands.
  return pause.state === 'paused' ? pause : stopped.length === 0 ? null : { ...pause, stopped }
}

async function continueElsewhere(
  context: ManagerContext,
  pause: FleetPause,
): Promise<{ continued: string[]; failed: NotStopped[] }> {
  const inPlaces = new Set(pause.stopped.flatMap(({ place, spawnId }) => (place === undefined ? [] : spawnId)))
  const continued: string[] = []
  const failed: NotStopped[] = []
  await Promise.all(
    elsewhereOf(context)
      .filter(({ agent }) => inPlaces.has(agent.spawnId))
      .map(async ({ session, handle }) => {
        const why = await setElsewhere(context, handle, false)
        if (why === null) continued.push(session.id)
        else failed.push({ sessionId: session.id, why })
      }),
  )
  return { continued, failed }
}

export const CONTINUE = 'You were interrupted in the middle of your work. Look at what is done, and continue.'

async function restoreEnded(
  context: ManagerContext,
  pause: FleetPause,
  families: Families,
): Promise<{ restored: string[]; failed: NotStopped[] }> {
  const restored: string[] = []
  const failed: NotStopped[] = []
  const ended = pause.stopped.filter(({ spawnId, place }) => place === undefined && families.get(spawnId)!.length === 0)
  const sessions = ended.length === 0 ? [] : await list(context)
  for (const { spawnId, inTurn } of ended) {
    // Of another configuration, ended by a person meanwhile, or started anew: not ours to start.
    const session = sessions.find((one) => spawnIdOf(one) === spawnId)
    if (!session || !isRestorable(session)) continue
    try {
      await restore(context, session.id)
      if (inTurn) await send(context, session.id, CONTINUE, { source: 'resume' })
      await forget(context, spawnId)
      restored.push(session.id)
    } catch (error) {
      failed.push({ sessionId: session.id, why: errorText(error) })
    }
  }
  return { restored, failed }
}

/** Those whose turn was ended, and who are still there. */
async function continueTurns(context: ManagerContext, pause: FleetPause, families: Families): Promise<NotStopped[]> {
  const failed: NotStopped[] = []
  const interrupted = pause.stopped.filter(
    ({ interrupted: isSo, spawnId }) => isSo && families.get(spawnId)!.length > 0,
  )
  const own = new Map(storedSessions(context).map((session) => [spawnIdOf(session), session.id]))
  await Promise.all(
    interrupted.map(async ({ spawnId }) => {
      const id = own.get(spawnId)
      if (id === undefined) return
      try {
        await send(context, id, CONTINUE, { source: 'resume' })
      } catch (error) {
        failed.push({ sessionId: id, why: `it was not asked to continue: ${errorText(error)}` })
      }
      await forget(context, spawnId)
    }),
  )
  return failed
}

/** It goes on: a command that is killed after this is not finished by asking it again. */
async function forget(context: ManagerContext, spawnId: string): Promise<void> {
  await changePause(
    context.paths,
    (pause) => pause && { ...pause, stopped: pause.stopped.filter((one: StoppedAgent) => one.spawnId !== spawnId) },
  )
}

/** The loop would do it with its next tick. */
async function releaseMessages(context: ManagerContext): Promise<void> {
  const waiting = storedSessions(context).filter((session) => recordOf(session).messagesOnTheWay?.length)
  await Promise.all(waiting.map(({ id }) => deliverHeld(context, id).catch(() => null)))
}

function spawnIdOf(session: Session): string | undefined {
  return recordOf(session).spawnId
}
