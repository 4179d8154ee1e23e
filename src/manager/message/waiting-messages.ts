// Messages that wait: read, edited, withdrawn. A message is withdrawn or delivered, never both. Those of ao are decided under the
// lock of the one sender; those that wait behind a turn by the runtime that keeps them.

import type { WaitingMessage } from '../../contract/dashboard/messages.ts'
import { AoError } from '../../contract/errors.ts'
import type { OtherEvent } from '../../contract/events.ts'
import { EMPTY_RECORD } from '../../contract/record.ts'
import { withoutMessages } from '../../contract/record-values.ts'
import type { UnfinishedMessage } from '../../core/message/unfinished-messages.ts'
import { findEvents, reachAgent } from '../active.ts'
import { type FoundSession, type ManagerContext, requireActive, requireToRead } from '../context.ts'
import { refuseTooLong } from '../deliver.ts'
import { readOne } from '../observe/enrich.ts'
import { checkBeforeEntering, createEntryCheck } from './entry-check.ts'
import { freeInputLine } from './free-input-line.ts'
import { readUnfinished } from './hand-over.ts'
import { withSendLock } from './send-lock.ts'
import { wordingOf } from './wording.ts'

const BY_A_PERSON = 'a person withdrew it'

/** In the order of their delivery. */
export async function readWaiting(context: ManagerContext, sessionId: string): Promise<WaitingMessage[]> {
  const found = requireToRead(context, sessionId)
  const heard = await findEvents(context, found)
  const behind = (await heard?.events.waitingMessages?.(heard.handle)) ?? []
  const sent = behind.length > 0 ? sentMessages(found) : new Map<string, Sent>()
  const own = readUnfinished(found.store, sessionId).filter(
    ({ messageId }) => !behind.some((one) => one.messageId === messageId),
  )
  return [...behind.map((one) => ({ ...one, ...sent.get(one.messageId) })), ...own.map(describe)]
}

/** Who sent each, and in which words: the runtime knows only that ao did, and what was entered. */
function sentMessages({ store, stored }: FoundSession): Map<string, Sent> {
  const sent = new Map<string, Sent>()
  for (const event of store.readHistory(stored.id).events) {
    if (event.type === 'message.queued') sent.set(event.messageId, { source: event.source, text: event.text })
    const before = event.type === 'message.edited' ? sent.get(event.messageId) : undefined
    if (event.type === 'message.edited' && before) sent.set(event.messageId, { ...before, text: event.text })
  }
  return sent
}

interface Sent {
  source: string
  text: string
}

function describe(message: UnfinishedMessage): WaitingMessage {
  const { messageId, text, source, queuedAt, heldBecause, submittingAt } = message
  return {
    messageId,
    text,
    source,
    since: queuedAt,
    state: heldBecause === null ? 'queued' : 'held',
    why: heldBecause,
    changeable: submittingAt === null,
  }
}

/** `text` null: withdraw it. Throws MESSAGE_NOT_WAITING when it was delivered before. */
export async function changeWaiting(
  context: ManagerContext,
  sessionId: string,
  messageId: string,
  text: string | null,
): Promise<void> {
  if (text?.trim() === '') {
    throw new AoError('USAGE', 'The message is empty', {
      hint: `Withdraw it with: ao session messages ${sessionId} --withdraw ${messageId}`,
    })
  }
  const found = requireActive(context, sessionId)
  const event: Changed =
    text === null
      ? { type: 'message.withdrawn', messageId, why: BY_A_PERSON }
      : { type: 'message.edited', messageId, text }
  const entered = text === null ? null : await enteredText(context, found, messageId, text)
  if (await changeBehindTurn(context, found, messageId, entered)) return record(found, event)
  found.store.ensure()
  await withSendLock(found.store, sessionId, 'change', () => changeOwn(context, found, event))
}

/** As it would be entered: an edited message is held to what every message is, before it takes the place of the old one. */
async function enteredText(context: ManagerContext, found: FoundSession, messageId: string, text: string) {
  const to = await reachAgent(context, found, await readOne(context, found))
  refuseTooLong(to.runtime, text)
  const raw = found.store
    .readHistory(found.stored.id)
    .events.some((one) => one.type === 'message.queued' && one.messageId === messageId && one.raw === true)
  return wordingOf(to, { messageId, text, raw }).text
}

/** There is nothing in the runtime's queue that could be meant. */
const NOT_THERE: ReadonlySet<string> = new Set(['MESSAGE_NOT_WAITING', 'SESSION_NOT_ACTIVE', 'SESSION_NOT_FOUND'])

async function changeBehindTurn(
  context: ManagerContext,
  found: FoundSession,
  messageId: string,
  text: string | null,
): Promise<boolean> {
  const heard = await findEvents(context, found)
  if (!heard?.events.changeWaiting) return false
  try {
    await heard.events.changeWaiting(heard.handle, messageId, text)
    return true
  } catch (error) {
    // It never got there, or it is over; ao's own list decides.
    if (error instanceof AoError && NOT_THERE.has(error.code)) return false
    throw error
  }
}

/** Under the send lock. */
async function changeOwn(context: ManagerContext, found: FoundSession, event: Changed): Promise<void> {
  const { store, stored } = found
  const message = readUnfinished(store, stored.id).find((one) => one.messageId === event.messageId)
  if (!message) throw notWaiting(stored.id, event.messageId)
  if (message.submittingAt !== null) {
    throw new AoError(
      'MESSAGE_NOT_WAITING',
      `The message was being entered into ${stored.id} when ao was interrupted`,
      {
        hint: `See what became of it with: ao events ${stored.id}`,
        details: { sessionId: stored.id, messageId: message.messageId },
      },
    )
  }
  if (event.type === 'message.withdrawn' && message.isEntered) await clearInput(context, found, message)
  await record(found, event)
}

type Changed = Extract<OtherEvent, { type: 'message.withdrawn' | 'message.edited' }>

/** Its text must not stay where a person would submit it with the next Enter. */
async function clearInput(context: ManagerContext, found: FoundSession, { text }: UnfinishedMessage): Promise<void> {
  const { store, stored } = found
  if ((store.read(stored.id)?.record ?? EMPTY_RECORD).inputLine === undefined) return
  const to = await reachAgent(context, found, await readOne(context, found))
  const check = createEntryCheck(context, to, { text })
  if (!check) return
  await checkBeforeEntering(context, check, to)
  const { clearFirst } = await freeInputLine(context, to)
  if (!clearFirst) return
  throw new AoError(
    'MESSAGE_NOT_WAITING',
    `The text is in the input line of ${stored.id} already, and ao cannot see it there`,
    {
      hint: `Delete it in its terminal: ao session attach ${stored.id}`,
      details: { sessionId: stored.id },
    },
  )
}

async function record({ store, stored }: FoundSession, event: Changed): Promise<void> {
  const isGone = event.type === 'message.withdrawn'
  await store.update(stored.id, (now) => (isGone ? withoutMessages(now, [event.messageId]) : {}), [event])
}

function notWaiting(sessionId: string, messageId: string): AoError {
  const message = `No message ${messageId} waits for ${sessionId}: it was delivered, or withdrawn before`
  return new AoError('MESSAGE_NOT_WAITING', message, {
    hint: `List those that wait with: ao session messages ${sessionId}`,
    details: { sessionId, messageId },
  })
}
