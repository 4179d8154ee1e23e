// Messages of a driver, each with its id: accepted once, queued behind the running turn, and traceable to the end.
import type { DrivenMessage, DriverMessageRequest } from '../../../contract/agh/driver.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { linkedOnly } from '../../../core/agh/session/prompt-form.ts'
import { isWaitingPrompt } from '../../../core/agh/session/waiting-prompt.ts'
import { historyFile } from '../../store/meta-file.ts'
import { readMessageState } from '../../store/read-log.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { noteMessage } from '../publish.ts'
import { takeFiles } from '../turn/attached-files.ts'
import type { StartedTurn } from '../turn/prompt.ts'
import { queueTurn } from '../turn/queue-turn.ts'
import { cancelTurn } from '../turn/running-turn.ts'

/**
 * Resolves immediately: with `handed_over` when the agent has it, with `queued` when a turn is running. A queued message is
 * on disk: if the daemon ends before its turn, it is delivered once when the session is resumed.
 */
export async function takeMessage(
  context: AghContext,
  session: LiveSession,
  request: DriverMessageRequest,
): Promise<DrivenMessage> {
  const { message_id } = request
  const before = session.messages.get(message_id) ?? (await stateInHistory(context, session.meta.id, message_id))
  // Checked again: the same message may have arrived in the meantime.
  const existing = session.messages.get(message_id) ?? (before === 'lost' ? undefined : before)
  if (existing !== undefined) return { message_id, state: existing }
  const { waits, started, linked } = await queue(context, session, request)
  const delivery = follow(session, message_id, started, waits)
  // Later failures are in the session's event log and in the message's state.
  if (waits) delivery.catch(warnOf(context, message_id))
  if (waits && request.interrupt) await cancelTurn(context, session, 'user')
  if (!waits) await delivery
  const state = session.messages.get(message_id) ?? 'queued'
  return linked.length === 0 ? { message_id, state } : { message_id, state, linked }
}

async function queue(context: AghContext, session: LiveSession, { message_id, message, files }: DriverMessageRequest) {
  noteMessage(session, message_id, 'queued')
  try {
    const attachments = files?.length ? takeFiles(context, session, files) : undefined
    const queued = queueTurn(context, session, message, { messageId: message_id, waitsAs: message_id, attachments })
    await queued.kept
    const linked = attachments ? linkedOnly(attachments, session.state.abilities).map(({ name }) => name) : []
    return { ...queued, linked }
  } catch (error) {
    noteMessage(session, message_id, null)
    throw error
  }
}

function warnOf(context: AghContext, id: string): (error: unknown) => void {
  return (error) => {
    if (error instanceof AoError && error.code === 'MESSAGE_WITHDRAWN') return
    context.log.warn(`message ${id} was not taken: ${errorText(error)}`)
  }
}

/** Messages still waiting from before the restart. */
export function deliverWaiting(context: AghContext, session: LiveSession): void {
  for (const message of session.store.waitingMessages()) {
    const { id, text, attachments } = message
    if (session.messages.has(id) || isWaitingPrompt(message)) continue
    noteMessage(session, id, 'queued')
    const { started } = queueTurn(context, session, text, { messageId: id, waitsAs: id, isKept: true, attachments })
    follow(session, id, started, true).catch(warnOf(context, id))
  }
}

async function follow(
  session: LiveSession,
  id: string,
  started: Promise<StartedTurn>,
  hasWaited: boolean,
): Promise<void> {
  try {
    const { handedOver } = await started
    noteMessage(session, id, 'recorded')
    noteMessage(session, id, (await handedOver) ? 'handed_over' : 'lost')
  } catch (error) {
    // A waiting message is still on disk, unless a person stopped the session.
    noteMessage(session, id, hasWaited ? null : 'lost')
    throw error
  }
}

export async function findMessage(context: AghContext, sessionId: string, messageId: string): Promise<DrivenMessage> {
  const state = context.live.get(sessionId)?.messages.get(messageId)
  return { message_id: messageId, state: state ?? (await stateInHistory(context, sessionId, messageId)) }
}

function stateInHistory(context: AghContext, sessionId: string, messageId: string): Promise<DrivenMessage['state']> {
  return readMessageState(historyFile(context.paths, sessionId), messageId)
}
