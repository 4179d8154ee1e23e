// A prompt that waits for its turn (`agh session prompt --queue`): kept on disk beside a driver's messages, under a name
// that none of those can have. Nobody would expect it to be sent hours later, after a crash and a resume, so when its
// session ends first, the event log says that it was not delivered.

import type { Attachment } from '../../../contract/agh/attachment.ts'
import { WAITING_PROMPT } from '../../../contract/agh/driver.ts'
import type { EventDraft } from '../../../contract/agh/events.ts'

export interface WaitingMessage {
  id: string
  text: string
  attachments?: readonly Attachment[] | undefined
}

export function waitingPromptId(turnId: string): string {
  return `${WAITING_PROMPT}${turnId}`
}

export function turnOfPrompt(id: string): string {
  return id.slice(WAITING_PROMPT.length)
}

export function isWaitingPrompt({ id }: WaitingMessage): boolean {
  return id.startsWith(WAITING_PROMPT)
}

export const NOT_DELIVERED = 'The prompt was not delivered: the session ended before its turn.'

/** The session goes on, but whoever sent the prompt was told that it failed, and may have sent it again. */
export const NOT_DELIVERED_HERE =
  'The prompt was not delivered: the daemon ended before its turn, or lost the host of the agent.'

/** A turn of its own, which began and failed. */
export function undeliveredTurn(
  { id, text, attachments }: WaitingMessage,
  { isRepair = false, error = NOT_DELIVERED } = {},
): EventDraft[] {
  const turn_id = turnOfPrompt(id)
  const repair = isRepair ? { repair: true as const } : {}
  return [
    {
      turn_id,
      type: 'user_message',
      content: { text, source: 'user', ...(attachments && { attachments: [...attachments] }) },
    },
    { turn_id, type: 'error', content: { error, failure: null, ...repair } },
  ]
}
