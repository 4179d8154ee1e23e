// Messages that were held while an agent waited for an answer are delivered once it does not any more.
import { errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { messageIdsOf } from '../../core/message/unfinished-messages.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import type { Observation } from './observe-session.ts'

/** Beside the rounds, like every act. Whether the agent takes a message now is found out by whoever sends. */
export function releaseHeld(loop: LoopContext, { observed, status }: Observation): void {
  const { session, facts, reading } = observed
  if (messageIdsOf(recordOf(session)).length === 0 || facts.operation || loop.releasing.has(session.id)) return
  if (isTerminalSession({ status, activity: reading?.state ?? null })) return
  const releasing = release(loop, session.id).finally(() => loop.releasing.delete(session.id))
  loop.releasing.set(session.id, releasing)
}

async function release(loop: LoopContext, sessionId: string): Promise<void> {
  try {
    const receipts = (await loop.deliverHeld?.(sessionId)) ?? []
    const delivered = receipts.filter(({ level }) => level === 'seen' || level === 'handed_over').length
    if (delivered > 0)
      loop.say(`${sessionId}: delivered ${delivered === 1 ? 'a message' : `${delivered} messages`} that had been held`)
  } catch (error) {
    loop.manager.log.warn(`what is held for ${sessionId} was not delivered: ${errorText(error)}`)
  }
}
