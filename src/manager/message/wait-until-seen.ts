// Waits until an agent's own records show a message.
import type { Session } from '../../contract/session.ts'
import { sleep } from '../../lib/clock.ts'
import type { ManagerContext } from '../context.ts'
import { hasSeen, type SentMessage } from '../observe/has-seen.ts'

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
