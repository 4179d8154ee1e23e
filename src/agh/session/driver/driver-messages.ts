// Messages of a driver, each under its id: taken once, queued behind the turn that runs, and traceable to the end.
import type { DrivenMessage, DriverMessageRequest } from '../../../contract/agh/driver.ts'
import type { EventRow } from '../../../contract/agh/events.ts'
import { errorText } from '../../../contract/errors.ts'
import { type Connection, readDatabase } from '../../store/database.ts'
import type { WaitingMessage } from '../../store/event-store.ts'
import { historyFile } from '../../store/meta-file.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { cancelTurn } from '../turn/cancel-turn.ts'
import { queueTurn, requireRoom } from '../turn/prompt.ts'

/**
 * Resolves at once: with `handed_over` when the agent has it, with `queued` when a turn runs. One that is queued is on the
 * disk: should the daemon end before its turn, it is delivered, once, when the session is brought back.
 */
export async function takeMessage(
  context: AghContext,
  session: LiveSession,
  request: DriverMessageRequest,
): Promise<DrivenMessage> {
  const { message_id, message } = request
  const before = session.messages.get(message_id) ?? (await stateInHistory(context, session.meta.id, message_id))
  // Asked again: the same message may have come in between.
  const known = session.messages.get(message_id) ?? (before === 'lost' ? undefined : before)
  if (known !== undefined) return { message_id, state: known }
  session.messages.set(message_id, 'queued')
  const isFree = session.turn === null && session.queued === 0
  if (!isFree) await keep(session, message_id, message)
  const delivery = deliver(context, session, { id: message_id, text: message }, !isFree)
  if (request.interrupt && !isFree) await cancelTurn(context, session, 'user')
  if (isFree) await delivery
  // What goes wrong later is in the history of the session and in the message's state.
  else delivery.catch((error) => context.log.warn(`message ${message_id} was not taken: ${errorText(error)}`))
  return { message_id, state: session.messages.get(message_id) ?? 'queued' }
}

async function keep(session: LiveSession, id: string, text: string): Promise<void> {
  try {
    requireRoom(session)
    await session.store.keepMessage(id, text)
  } catch (error) {
    session.messages.delete(id)
    throw error
  }
}

/** What still waits from the life before. */
export function deliverWaiting(context: AghContext, session: LiveSession): void {
  for (const message of session.store.waitingMessages()) {
    if (session.messages.has(message.id)) continue
    session.messages.set(message.id, 'queued')
    deliver(context, session, message, true).catch((error) =>
      context.log.warn(`message ${message.id} was not taken: ${errorText(error)}`),
    )
  }
}

async function deliver(
  context: AghContext,
  session: LiveSession,
  { id, text }: WaitingMessage,
  hasWaited: boolean,
): Promise<void> {
  try {
    const { handedOver } = await queueTurn(context, session, text, { messageId: id, hasWaited })
    session.messages.set(id, 'recorded')
    session.messages.set(id, (await handedOver) ? 'handed_over' : 'lost')
  } catch (error) {
    // One that waited is still on the disk, unless a person stopped the session.
    if (hasWaited) session.messages.delete(id)
    else session.messages.set(id, 'lost')
    throw error
  }
}

export async function findMessage(context: AghContext, sessionId: string, messageId: string): Promise<DrivenMessage> {
  const state = context.live.get(sessionId)?.messages.get(messageId)
  return { message_id: messageId, state: state ?? (await stateInHistory(context, sessionId, messageId)) }
}

const RECORDED = `SELECT * FROM events WHERE type = 'user_message'
  AND CASE WHEN json_valid(content) THEN json_extract(content, '$.message_id') END = ? ORDER BY sequence LIMIT 1`
const ANSWERED = `SELECT 1 FROM events
  WHERE sequence > ? AND turn_id = ? AND type NOT IN ('error', 'user_message') LIMIT 1`

/** Whether the agent got it shows in what its turn holds beside the message. */
async function stateInHistory(
  context: AghContext,
  sessionId: string,
  messageId: string,
): Promise<DrivenMessage['state']> {
  return readDatabase(historyFile(context.paths, sessionId), (db) => {
    const message = db.prepare(RECORDED).get(messageId) as EventRow | undefined
    if (!message) return isWaiting(db, messageId) ? 'queued' : 'lost'
    return db.prepare(ANSWERED).get(message.sequence, message.turn_id) ? 'handed_over' : 'unknown'
  })
}

/** A history that was not opened for writing since an update of agh has no such table. */
function isWaiting(db: Connection, messageId: string): boolean {
  const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'waiting_messages'"
  if (!db.prepare(table).get()) return false
  return db.prepare('SELECT 1 FROM waiting_messages WHERE id = ?').get(messageId) !== undefined
}
