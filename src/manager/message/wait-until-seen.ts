// Waits until an agent's own records show a message.
import type { Session } from '../../contract/session.ts'
import { sleep } from '../../lib/clock.ts'
import type { ManagerContext } from '../context.ts'
import { hasSeen, type SentMessage } from '../observe/has-seen.ts'

const DEFAULT_RECEIPT_MS = 10_000
const RECEIPT_POLL_MS = 100

export const NO_RECORDS = 'the agent keeps no records that could confirm it'

/** true, or why there is no proof. */
export async function waitUntilSeen(
  context: ManagerContext,
  session: Session,
  sent: SentMessage,
  timeoutMs = DEFAULT_RECEIPT_MS,
): Promise<true | string> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const seen = await hasSeen(context, session, sent)
    if (seen === true) return true
    if (seen === null) return NO_RECORDS
    if (performance.now() >= deadline)
      return `its records did not show the message within ${Math.round(timeoutMs / 1000)} s`
    await sleep(RECEIPT_POLL_MS)
  }
}
