// Makes an agent stop spending: its turn is stopped, or it is ended with its work and conversation kept.
import { AoError } from '../../contract/errors.ts'
import type { SessionManager } from '../../manager/session-manager.ts'

type Managing = Pick<SessionManager, 'get' | 'kill' | 'stopTurn'>

export async function endSpending(
  manager: Managing,
  sessionId: string,
  { action, by }: { action: 'pause' | 'stop'; by: string },
): Promise<void> {
  const session = await manager.get(sessionId)
  if (!session || session.activity === 'exited') return
  if (action === 'pause' && (await stopsTurn(manager, sessionId, by))) return
  await manager.kill(sessionId, { keepWorkspace: true, keepMessages: true, by })
}

/** false: it has a terminal, where no turn can be stopped from outside. */
async function stopsTurn(manager: Managing, sessionId: string, by: string): Promise<boolean> {
  try {
    await manager.stopTurn(sessionId, { by })
    return true
  } catch (error) {
    if (error instanceof AoError && error.code === 'STATE_REFUSED') return false
    throw error
  }
}
