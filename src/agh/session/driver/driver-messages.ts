// Messages of a driver, each under its id: taken once, queued behind the turn that runs, and traceable to the end.
import type { DrivenMessage, DriverMessageRequest } from '../../../contract/agh/driver.ts'
import type { EventRow } from '../../../contract/agh/events.ts'
import { errorText } from '../../../contract/errors.ts'
import { readDatabase } from '../../store/database.ts'
import { historyFile } from '../../store/meta-file.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { cancelTurn } from '../turn/cancel-turn.ts'
import { queueTurn } from '../turn/prompt.ts'

/** Resolves at once: with `handed_over` when the agent has it, with `queued` when a turn runs. */
export async function takeMessage(
  context: AghContext,
  session: LiveSession,
  request: DriverMessageRequest,
): Promise<DrivenMessage> {
  const { message_id, message } = request
  const known = session.messages.get(message_id)
  if (known !== undefined) return { message_id, state: known }
  session.messages.set(message_id, 'queued')
  const isFree = session.turn === null && session.queued === 0
  const delivery = deliver(context, session, message_id, message)
  if (request.interrupt && !isFree) await cancelTurn(context, session, 'user')
  if (isFree) await delivery
  // What goes wrong later is in the history of the session and in the message's state.
  else delivery.catch((error) => context.log.warn(`message ${message_id} was not taken: ${errorText(error)}`))
  return { message_id, state: session.messages.get(message_id)! }
}

async function deliver(context: AghContext, session: LiveSession, messageId: string, text: string): Promise<void> {
  try {
    const { handedOver } = await queueTurn(context, session, text, { messageId })
    session.messages.set(messageId, 'recorded')
    session.messages.set(messageId, (await handedOver) ? 'handed_over' : 'lost')
  } catch (error) {
    session.messages.set(messageId, 'lost')
    throw error
  }
}

export async function findMessage(context: AghContext, sessionId: string, messageId: string): Promise<DrivenMessage> {
  const state = context.live.get(sessionId)?.messages.get(messageId)
  return { message_id: messageId, state: state ?? (await readFate(context, sessionId, messageId)) }
}

/** From the history alone: whether the agent got it shows in what its turn holds beside the message. */
async function readFate(context: AghContext, sessionId: string, messageId: string): Promise<DrivenMessage['state']> {
  return readDatabase(historyFile(context.paths, sessionId), (db) => {
    const message = db
      .prepare(
        "SELECT * FROM events WHERE type = 'user_message' AND json_extract(content, '$.message_id') = ? ORDER BY sequence LIMIT 1",
      )
      .get(messageId) as EventRow | undefined
    if (!message) return 'lost'
    const answered = db
      .prepare(
        "SELECT 1 FROM events WHERE sequence > ? AND turn_id = ? AND type NOT IN ('error', 'user_message') LIMIT 1",
      )
      .get(message.sequence, message.turn_id)
    return answered ? 'handed_over' : 'unknown'
  })
}
