// Agents whose terminal lets nobody be stopped: their turns are ended with the agent's own key, as a person does it.
import { interruptKeys } from '../../contract/agents/agent-table.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { sleep } from '../../lib/clock.ts'
import { isSuspended } from '../../lib/process/process-identity.ts'
import { continueFamilies, type Families } from '../../lib/process/stop-families.ts'
import { isPaused, readPause, type StoppedAgent } from '../../store/fleet-pause.ts'
import type { FoundSession, ManagerContext } from '../context.ts'
import { enrichOne, get } from '../observe/enrich.ts'

export interface NotStopped {
  sessionId: string
  why: string
}

const SETTLE_MS = 50

/** tmux lets whoever it has started go on when it is stopped: those go on whole, because a half of them would hang. */
export async function stillRunning(families: Families): Promise<Set<string>> {
  await sleep(SETTLE_MS)
  const running = [...families].filter(([, family]) => family.some(({ pid }) => !isSuspended(pid)))
  const spawnIds = running.map(([spawnId]) => spawnId)
  continueFamilies(spawnIds)
  return new Set(spawnIds)
}

interface Terminals {
  running: ReadonlySet<string>
  here: readonly StoppedAgent[]
  /** Of this configuration, by spawn id. */
  sessions: ReadonlyMap<string | undefined, Session>
}

/** Their turns are ended as a person does it. The loops of other repositories do the same for theirs. */
export async function endTurns(context: ManagerContext, { running, here, sessions }: Terminals): Promise<NotStopped[]> {
  const attempts = here.map(async ({ spawnId, sessionId, projectDir }): Promise<NotStopped[]> => {
    if (!running.has(spawnId)) return []
    const session = sessions.get(spawnId)
    if (!session) {
      const isOurs = Object.keys(context.config.projects).some((id) => context.paths.project(id).dir === projectDir)
      return isOurs ? [] : [{ sessionId, why: 'only the ao start of its own repository can end its turn' }]
    }
    const why = session.activity === 'active' ? await endTurn(context, session) : null
    return why === null ? [] : [{ sessionId, why }]
  })
  return (await Promise.all(attempts)).flat()
}

/** Throws why it is not over. Nothing is typed for an agent that is stopped: it would get the key when it goes on. */
export async function endTurnByHand(context: ManagerContext, found: FoundSession): Promise<void> {
  const session = await enrichOne(context, found)
  const isStopped = recordOf(session).stopped !== undefined || isPaused(readPause(context.paths))
  const why = isStopped
    ? 'it is stopped where it is'
    : session.activity === 'active'
      ? await endTurn(context, session)
      : `its agent is not in a turn (${session.activity ?? 'unknown'})`
  if (why === null) return
  throw new AoError('STATE_REFUSED', `No turn of ${session.id} was stopped: ${why}`, {
    hint: `See what it is doing with: ao session attach ${session.id}`,
    details: { sessionId: session.id },
  })
}

/** Some agents want the key twice. */
const MOST_PRESSES = 3
const PRESS_MS = 800

/** null: it is not in a turn any longer. */
async function endTurn(context: ManagerContext, session: Session): Promise<string | null> {
  const { id, runtimeHandle } = session
  const keys = interruptKeys(recordOf(session).agent ?? '')
  if (keys === null || runtimeHandle === null) return 'the key that ends its turn is unknown'
  try {
    const runtime = await context.registry.load('runtime', runtimeHandle.runtimeName)
    const isBusy = async () => (await get(context, id))?.activity === 'active'
    for (let press = 0; press < MOST_PRESSES; press++) {
      for (const key of keys) {
        await runtime.pressKeys?.(runtimeHandle, key, async () => {
          if (!(await isBusy())) throw new Error('its turn is over')
        })
        await sleep(SETTLE_MS)
      }
      const deadline = performance.now() + PRESS_MS
      while (performance.now() < deadline) {
        if (!(await isBusy())) return null
        await sleep(SETTLE_MS)
      }
    }
    return 'it does not heed the key that ends its turn'
  } catch (error) {
    return (await get(context, id))?.activity === 'active' ? errorText(error) : null
  }
}
