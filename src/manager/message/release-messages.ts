// Delivers held messages, and those an interrupted command left unfinished: in order, each once.
import { isReaction } from '../../contract/config/reaction-keys.ts'
import { EMPTY_RECORD } from '../../contract/record.ts'
import { messageIdsOf, withoutMessages } from '../../contract/record-values.ts'
import type { SendReceipt } from '../../contract/session.ts'
import type { UnfinishedMessage } from '../../core/message/unfinished-messages.ts'
import { isPaused, readPause } from '../../store/fleet-pause.ts'
import type { Addressee } from '../active.ts'
import type { ManagerContext } from '../context.ts'
import { hasSeen, REFUSED } from './entry-check.ts'
import { confirmSeen, giveUp, handOver, readUnfinished } from './hand-over.ts'

/** A busy agent reads a message later, and only then do its records show it. */
const SHOWN_WITHIN_MS = 60_000
/** Long enough for the records of an idle agent; no caller waits for this receipt. */
const RECEIPT_MS = 3_000

const INTERRUPTED =
  'ao was interrupted as it pressed Enter, and the agent keeps no records that tell whether it arrived'

const INTERRUPTED_EARLY = 'ao was interrupted before it was submitted'

/** Only under the send lock. Stops at the first one that is held again. `before`: only those queued before it. */
export async function releaseMessages(
  context: ManagerContext,
  to: Addressee,
  options: { before?: string | undefined; timeoutMs?: number | undefined } = {},
): Promise<SendReceipt[]> {
  const { switchTo, conversationTo, stopped, messagesOnTheWay } = to.store.read(to.session.id)?.record ?? EMPTY_RECORD
  // While an agent takes over, or goes back, they are for that one.
  if (
    switchTo !== undefined ||
    conversationTo !== undefined ||
    messagesOnTheWay === undefined ||
    stopped?.state === 'stopped'
  )
    return []
  if (isPaused(readPause(context.paths))) return []
  const unfinished = readUnfinished(to.store, to.session.id)
  await forgetFinished(to, unfinished)
  const own = unfinished.findIndex(({ messageId }) => messageId === options.before)
  const receipts: SendReceipt[] = []
  for (const message of own === -1 ? unfinished : unfinished.slice(0, own)) {
    const receipt = await release(context, to, message, options.timeoutMs ?? RECEIPT_MS)
    if (receipt) receipts.push(receipt)
    if (receipt === null || receipt.level === 'held') break
  }
  return receipts
}

/** null: whether the agent has it cannot be known yet. */
async function release(
  context: ManagerContext,
  to: Addressee,
  message: UnfinishedMessage,
  timeoutMs: number,
): Promise<SendReceipt | null> {
  const { messageId, text, source, queuedAt, submittingAt, heldBecause } = message
  const since = new Date(queuedAt)
  const seen = await hasSeen(context, to, { messageId, text, since })
  if (seen === true) {
    const receipt = await confirmSeen(to, messageId)
    await to.store.update(to.session.id, (record) => ({
      submittingMessage: null,
      ...withoutMessages(record, [messageId]),
    }))
    return receipt
  }
  if (seen === 'refused') return giveUp(to, messageId, REFUSED)
  if (submittingAt !== null) {
    if (seen === null) return giveUp(to, messageId, INTERRUPTED)
    if (context.clock.now().getTime() - Date.parse(submittingAt) < SHOWN_WITHIN_MS) return null
  }
  // The loop decides anew whether there is still something to send, from the facts at that time.
  if (heldBecause === null && isReaction(source)) return giveUp(to, messageId, INTERRUPTED_EARLY)
  const receipt = await handOver(context, to, message, { timeoutMs, keepOnFailure: true })
  if (message.source === 'spawn' && receipt.level !== 'held') await notePrompt(to, receipt)
  return receipt
}

async function notePrompt({ store, session }: Addressee, { level }: SendReceipt): Promise<void> {
  const promptDelivered = level === 'seen' ? 'yes' : level === 'handed_over' ? 'unconfirmed' : 'no'
  await store.update(session.id, { promptDelivered })
}

/** A crash between the history and the record leaves ids of finished messages behind. */
async function forgetFinished({ store, session }: Addressee, unfinished: UnfinishedMessage[]): Promise<void> {
  const ids = messageIdsOf(store.read(session.id)?.record ?? EMPTY_RECORD)
  const over = ids.filter((id) => !unfinished.some(({ messageId }) => messageId === id))
  if (over.length > 0) await store.update(session.id, (record) => withoutMessages(record, over))
}
