// Prompts whose turn never came, because their session ended first.
import { isWaitingPrompt } from '../../../core/agh/session/waiting-prompt.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { perform } from '../publish.ts'

/** At the end of a session; and at its start, for a prompt that was still being written when the session ended. */
export async function reportUndelivered(context: AghContext, session: LiveSession, error?: string): Promise<void> {
  for (const waiting of session.store.waitingMessages().filter(isWaitingPrompt)) {
    await perform(context, session, { type: 'report_undelivered', waiting, error })
  }
}
