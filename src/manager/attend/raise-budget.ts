// A session that has spent what it may gets more and carries on. The new limit is written before anything starts.
import { AoError } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { SendReceipt } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { usd } from '../../core/budget/find-over-budget.ts'
import { spentOf } from '../../core/status/spent.ts'
import type { SessionManager } from '../session-manager.ts'

type Managing = Pick<SessionManager, 'deliver' | 'get' | 'restore' | 'resumeAgent' | 'setBudget'>

const CONTINUE = 'You may spend more now. Continue with your task where you stopped.'

/** `limitUsd`: what it may cost in all. Throws USAGE when it has used as much already. */
export async function raiseBudget(manager: Managing, sessionId: string, limitUsd: number): Promise<SendReceipt> {
  const session = await manager.get(sessionId)
  if (!session) throw new AoError('SESSION_NOT_FOUND', `There is no session ${sessionId}`)
  const spent = spentOf(session)?.costUsd ?? 0
  if (limitUsd <= spent) {
    throw new AoError(
      'USAGE',
      `${sessionId} has used ${usd(spent)} already, so ${usd(limitUsd)} in all would not let it continue`,
      {
        hint: `Give it more with: ao session budget ${sessionId} ${Math.ceil(spent * 2)} --continue`,
      },
    )
  }
  await manager.setBudget(sessionId, limitUsd)
  if (recordOf(session).stopped && (await manager.resumeAgent(sessionId)))
    return { messageId: '', level: 'handed_over', why: 'it goes on where it was stopped' }
  const { status, activity } = session
  if (isTerminalSession({ status, activity })) await manager.restore(sessionId)
  return manager.deliver(sessionId, CONTINUE, { source: 'user' })
}
