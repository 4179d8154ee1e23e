// Did the agent get a message? A runtime that talks to it in events knows; otherwise its own records show it, sooner or later.

import type { Session } from '../../contract/session.ts'
import { messageFileText } from '../../core/message/message-file.ts'
import { neutralisePaste } from '../../core/prompt/paste-text.ts'
import { sleep } from '../../lib/clock.ts'
import type { Seen } from '../../slots/agent.ts'
import { agentOf, readOptions } from '../active.ts'
import type { ManagerContext } from '../context.ts'

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
  session: Session,
  sent: SentMessage,
  { timeoutMs = DEFAULT_RECEIPT_MS, whileUnseen }: Waiting = {},
): Promise<true | string> {
  const deadline = performance.now() + timeoutMs
  let unseen = performance.now() + UNSEEN_MS
  for (;;) {
    const seen = await hasSeen(context, session, sent)
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
export async function hasSeen(context: ManagerContext, session: Session, sent: SentMessage): Promise<Seen> {
  const { registry } = context
  const handle = session.runtimeHandle
  if (handle) {
    const events = (await registry.find('runtime', handle.runtimeName))?.events
    if (events) return events.hasSeen(handle, sent.messageId)
  }
  const agent = await agentOf(registry, session)
  if (!agent?.hasSeen) return null
  const options = readOptions(context, session)
  // As it was entered: without control characters; of a long one the line that names its file.
  const seen = await agent.hasSeen(session, neutralisePaste(sent.text), sent.since, options)
  if (seen !== false || agent.typedLimit === undefined || Buffer.byteLength(sent.text) <= agent.typedLimit) return seen
  return agent.hasSeen(session, messageFileText(sent.messageId), sent.since, options)
}
