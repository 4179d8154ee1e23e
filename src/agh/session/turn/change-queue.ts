// What a person does with a prompt that waits: read it, give it another text, withdraw it. Withdrawn or sent, never both: the
// session's machine decides, and what it decided is on disk before anybody hears of it.
import type { QueuedPromptView } from '../../../contract/agh/answers.ts'
import { withdrawn } from '../../../core/agh/machine/decide.ts'
import { findQueued } from '../../../core/agh/machine/prompt-queue.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { note, noteMessage, perform } from '../publish.ts'

/** In order. */
export function listQueue({ state }: LiveSession): QueuedPromptView[] {
  return state.queue.map(({ id, text, source, queuedAt, keptAs }) => ({
    id,
    text,
    source,
    queued_at: queuedAt,
    changeable: keptAs !== null,
  }))
}

export async function editPrompt(context: AghContext, session: LiveSession, id: string, text: string): Promise<void> {
  const before = findQueued(session.state.queue, id)
  try {
    await perform(context, session, { type: 'edit_prompt', id, text })
  } catch (error) {
    // Not written, so it did not happen; one whose turn has begun meanwhile is in the log with what was sent.
    if (before) note(session, { type: 'prompt_edited', id, text: before.text })
    throw error
  }
}

export async function withdrawPrompt(context: AghContext, session: LiveSession, id: string): Promise<void> {
  const { queue } = session.state
  const before = findQueued(queue, id)
  const waiter = session.waiters.get(id)
  try {
    await perform(context, session, { type: 'withdraw_prompt', id })
  } catch (error) {
    const isGone = before !== null && !findQueued(session.state.queue, id)
    if (isGone) note(session, { type: 'prompt_queued', prompt: before, index: queue.indexOf(before) })
    waiter?.putBack()
    throw error
  }
  // From now on the event log says what became of it.
  if (before?.messageId) noteMessage(session, before.messageId, null)
  waiter?.withdraw(withdrawn(session.meta.id, id))
}
