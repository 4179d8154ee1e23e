// Did the agent get a message? A runtime that talks to it in events knows; otherwise its own records show it, sooner or later.

import { messageFileText } from '../../core/message/message-file.ts'
import { neutralisePaste } from '../../core/text/paste-text.ts'
import { sleep } from '../../lib/clock.ts'
import type { Seen } from '../../slots/agent.ts'
import type { ReachedSession } from '../active.ts'
import type { ManagerContext } from '../context.ts'
import { readOptions } from '../observe/observe-sessions.ts'

const DEFAULT_RECEIPT_MS = 10_000
const RECEIPT_POLL_MS = 100

export const NO_RECORDS = 'the agent keeps no records that could confirm it'
export const REFUSED = 'a hook on the prompts of the agent refused it, so its model did not get it'

/** An agent that reads at once has recorded the message by then. */
const UNSEEN_MS = 1_500

interface Waiting {
  timeoutMs?: number | undefined
  /** Called now and then while the message is not seen. */
  whileUnseen?: (() => Promise<void>) | undefined
}

/** true, or why there is no proof. */
export async function waitUntilSeen(
  context: ManagerContext,
  to: ReachedSession,
  sent: SentMessage,
  { timeoutMs = DEFAULT_RECEIPT_MS, whileUnseen }: Waiting = {},
): Promise<true | string> {
  const deadline = performance.now() + timeoutMs
  let unseen = performance.now() + UNSEEN_MS
  for (;;) {
    const seen = await hasSeen(context, to, sent)
    if (seen === true) return true
    if (seen === null) return NO_RECORDS
    if (seen === 'refused') return REFUSED
    if (performance.now() >= deadline)
      return `its records did not show the message within ${Math.round(timeoutMs / 1000)} s`
    await sleep(RECEIPT_POLL_MS)
    if (!whileUnseen || performance.now() < unseen) continue
    await whileUnseen()
    unseen = performance.now() + UNSEEN_MS
  }
}

export interface SentMessage {
  messageId: string
  text: string
  since: Date
}

/** null: there are no records that could show it. */
export async function hasSeen(context: ManagerContext, to: ReachedSession, sent: SentMessage): Promise<Seen> {
  const { session, runtime, agent } = to
  if (runtime?.events) return runtime.events.hasSeen(session.runtimeHandle!, sent.messageId)
  if (!agent?.hasSeen) return null
  const options = readOptions(context, session)
  // As it was entered: without control characters; of a long one the line that names its file.
  const seen = await agent.hasSeen(session, neutralisePaste(sent.text), sent.since, options)
  if (seen !== false || agent.typedLimit === undefined || Buffer.byteLength(sent.text) <= agent.typedLimit) return seen
  return agent.hasSeen(session, messageFileText(sent.messageId), sent.since, options)
}
