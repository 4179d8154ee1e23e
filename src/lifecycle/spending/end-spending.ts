// Makes an agent stop spending: it is stopped where it is, or ended with its work and conversation kept.
import type { SessionManager } from '../../manager/session-manager.ts'

type Managing = Pick<SessionManager, 'get' | 'kill' | 'pauseAgent'>

export async function endSpending(
  manager: Managing,
  sessionId: string,
  { action, why }: { action: 'pause' | 'stop'; why: string },
): Promise<void> {
  const session = await manager.get(sessionId)
  if (!session || session.activity === 'exited') return
  if (action === 'pause' && (await manager.pauseAgent(sessionId, why))) return
  await manager.kill(sessionId, { keepWorkspace: true, keepMessages: true, by: `the budget: ${why}` })
}
