// One message on its way into an agent: queued, typed, submitted, seen; or held while the agent waits for an answer. Each
// step is recorded before it is done, so that after a crash at any point it is known what was typed.

import { isReaction } from '../../contract/config/reaction-keys.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { OtherEvent } from '../../contract/events.ts'
import { EMPTY_RECORD, recordOf, type SessionRecord } from '../../contract/record.ts'
import { messageIdsOf, submittedAt, withMessage, withoutMessages } from '../../contract/record-values.ts'
import type { SendReceipt } from '../../contract/session.ts'
import { type UnfinishedMessage, unfinishedMessages } from '../../core/message/unfinished-messages.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { Addressee } from '../active.ts'
import type { ManagerContext } from '../context.ts'
import type { DeliverOptions } from '../types.ts'
import { readAttachment } from './attached-files.ts'
import {
  checkBeforeEntering,
  createEntryCheck,
  type EntryCheck,
  enterChecked,
  isAgentAsks,
  NO_RECORDS,
  noteAnswered,
  REFUSED,
  waitUntilSeen,
} from './entry-check.ts'
import { freeInputLine, submitLeft } from './free-input-line.ts'
import { type Wording, wordingOf } from './wording.ts'

interface HandOverOptions extends Pick<DeliverOptions, 'interrupt' | 'isAnswer' | 'timeoutMs'> {
  /** No caller waits for the receipt: a failure is retried later. */
  keepOnFailure?: boolean
}

/** The typed text was submitted. */
const EMPTY_LINE = { inputLine: null, submittingMessage: null } as const

/** A message that waited a moment ago is near the end of the history. */
const RECENT_BYTES = 1024 * 1024

/** This many may wait for one agent; more would only flood it when it is free again. */
const MAX_WAITING = 100

/**
 * Durable from here on: whatever happens to this process, the message is delivered once or its fate is recorded. `isAlone`: no
 * other one is on its way. `record`: as it is now.
 */
export async function queueMessage(
  context: ManagerContext,
  to: Addressee,
  message: Pick<UnfinishedMessage, 'messageId' | 'text' | 'source' | 'raw' | 'attachments'> & {
    by?: string | undefined
  },
): Promise<{ message: UnfinishedMessage; isAlone: boolean; record: SessionRecord }> {
  const { store, session } = to
  const record = store.read(session.id)?.record ?? EMPTY_RECORD
  const isAlone = messageIdsOf(record).length === 0
  const waiting = isAlone ? [] : unfinishedMessages(store.readHistory(session.id).events, record)
  if (waiting.length >= MAX_WAITING) {
    throw new AoError('STATE_REFUSED', `${waiting.length} messages wait for ${session.id} already`, {
      hint: `See what it waits for with: ao session show ${session.id}`,
    })
  }
  const { messageId, text, source, by, attachments = [] } = message
  const raw = message.raw ? ({ raw: true } as const) : {}
  const along = attachments.length === 0 ? {} : { attachments: [...attachments] }
  const updated = await store.update(session.id, (record) => withMessage(record, messageId))
  await store.appendEvents(session.id, [
    ...replacedBy(message, waiting).map(
      (old) => ({ type: 'message.withdrawn', messageId: old, why: 'a newer message replaces it' }) as const,
    ),
    { type: 'message.queued', messageId, text, source, ...raw, ...along, ...(by !== undefined && { by }) },
  ])
  failpoint('send.queued')
  const queuedAt = context.clock.now().toISOString()
  const queued = { messageId, text, source, ...raw, ...along, queuedAt, submittingAt: null, heldBecause: null }
  return { message: queued, isAlone, record: recordOf(updated) }
}

/** When a reaction sends again it has newer facts; its earlier, undelivered message is out of date. */
function replacedBy({ source }: { source: string }, waiting: UnfinishedMessage[]): string[] {
  if (!isReaction(source)) return []
  return waiting.filter((old) => old.source === source).map(({ messageId }) => messageId)
}

export function readUnfinished(store: SessionStore, sessionId: string): UnfinishedMessage[] {
  const record = store.read(sessionId)?.record ?? EMPTY_RECORD
  return messageIdsOf(record).length === 0 ? [] : unfinishedMessages(store.readHistory(sessionId).events, record)
}

export async function handOver(
  context: ManagerContext,
  to: Addressee,
  message: UnfinishedMessage,
  options: HandOverOptions = {},
): Promise<SendReceipt> {
  const { store, session, runtime } = to
  const { messageId, text } = message
  const since = context.clock.now()
  const check = createEntryCheck(context, to, { ...message, isAnswer: options.isAnswer })
  let entered: Entered
  try {
    entered = { messageId, ...wordingOf(to, message) }
    if (check) await type(context, to, entered, check)
    else
      entered = withNote(entered, await submit(context, to, { ...entered, attachments: message.attachments }, options))
  } catch (error) {
    if (isAgentAsks(error)) {
      const { why, pasted } = error.details
      return hold(to, message, { why: String(why), entered: pasted === true })
    }
    if (error instanceof AoError && error.code === 'MESSAGE_WITHDRAWN') return noteWithdrawn(to, messageId)
    const isRefused = error instanceof AoError && error.code === 'MESSAGE_REFUSED'
    const mayWait = !isRefused && (options.keepOnFailure || isUnknown(error))
    return mayWait ? postpone(to, message, errorText(error)) : giveUp(to, messageId, errorText(error))
  }
  failpoint('send.submitted')
  const at = context.clock.now()
  // A person's message restarts the clock for the agent's silence; the loop's own does not.
  const attended = message.source === 'user' ? { attendedAt: at } : {}
  await store.update(
    session.id,
    (record) => ({
      // Before Enter: what the agent records of it is newer.
      lastMessageAt: submittedAt(record, messageId) ?? at,
      ...attended,
      ...EMPTY_LINE,
      ...withoutMessages(record, [messageId]),
    }),
    [{ type: 'message.handed_over', messageId, note: entered.note }],
  )
  const note = entered.note === undefined ? {} : { note: entered.note }
  if (message.raw)
    return { messageId, level: 'handed_over', why: 'sent verbatim; delivery cannot be confirmed', ...note }
  const seen = await waitUntilSeen(
    context,
    to,
    { messageId, text, since },
    {
      timeoutMs: options.timeoutMs,
      whileUnseen: check ? () => submitLeft(context, to, { text: entered.text, check }) : undefined,
    },
  )
  if (seen === true) return { ...(await confirmSeen(to, messageId)), ...note }
  if (seen === REFUSED) return giveUp(to, messageId, REFUSED)
  if (runtime.events && wasWithdrawn(to, messageId)) return withdrawn(messageId)
  // Nothing will ever confirm it, so the question counts as answered now; the screen shows if it is asked again.
  if (seen === NO_RECORDS) await noteAnswered(to)
  return { messageId, level: 'handed_over', why: runtime.events ? 'it waits behind the turn that runs' : seen, ...note }
}

/**
 * The terminal did not tell whether it took the text or the Enter. A sender who is told "undelivered" would send it again, on
 * top of what may be there: so it waits, until the records show it or the input line is known to be free.
 */
function isUnknown(error: unknown): boolean {
  return error instanceof AoError && error.code === 'RUNTIME_FAILED' && error.details.pasted === null
}

/** While its sender waited for the receipt. */
function wasWithdrawn({ store, session }: Addressee, messageId: string): boolean {
  const { events } = store.readHistory(session.id, { maxBytes: RECENT_BYTES })
  const isOver = (type: string) => type === 'message.withdrawn' || type === 'message.undelivered'
  return events.some((one) => 'messageId' in one && one.messageId === messageId && isOver(one.type))
}

/** Where it waited, somebody withdrew it. */
async function noteWithdrawn({ store, session }: Addressee, messageId: string): Promise<SendReceipt> {
  const { why = '' } = withdrawn(messageId)
  await store.update(session.id, (record) => withoutMessages(record, [messageId]), [
    { type: 'message.withdrawn', messageId, why },
  ])
  return withdrawn(messageId)
}

function withdrawn(messageId: string): SendReceipt {
  return { messageId, level: 'undelivered', why: 'it was withdrawn while it waited' }
}

export async function confirmSeen(to: Addressee, messageId: string): Promise<SendReceipt> {
  await noteAnswered(to, [{ type: 'message.seen', messageId }])
  return { messageId, level: 'seen' }
}

/** As it is typed or handed on. */
type Entered = Wording & { messageId: string }

/** For a runtime that talks to its agent in events: it identifies messages by id and accepts each once. */
async function submit(
  context: ManagerContext,
  to: Addressee,
  message: Entered & Pick<UnfinishedMessage, 'attachments'>,
  options: HandOverOptions,
): Promise<string | undefined> {
  const { store, session, runtime } = to
  const { messageId, text, attachments = [] } = message
  const saved = await saveFiles(context, to, messageId)
  if (saved.length > 0) await store.appendEvents(session.id, saved)
  const interrupt = options.interrupt ? { interrupt: true } : {}
  await message.prepare?.()
  const files = attachments.map((one) => ({ ...one, bytes: readAttachment(store.paths, session.id, one) }))
  const along = files.length === 0 ? {} : { files }
  let note: string | undefined
  const onNote = (line: string) => {
    note = line
  }
  await runtime.sendMessage(session.runtimeHandle!, text, { messageId, ...interrupt, ...along, onNote })
  return note
}

function withNote(entered: Entered, note: string | undefined): Entered {
  return note === undefined ? entered : { ...entered, note: [entered.note, note].filter(Boolean).join('; ') }
}

/** For a terminal. The record says that the input line may hold text for as long as that may be true. */
async function type(context: ManagerContext, to: Addressee, message: Entered, check: EntryCheck): Promise<void> {
  const { store, session } = to
  await checkBeforeEntering(context, check, to)
  const line = await freeInputLine(context, to)
  await message.prepare?.()
  const saved = await saveFiles(context, to, message.messageId)
  await store.update(session.id, { inputLine: 'may hold text' }, saved)
  failpoint('send.entering')
  await enterChecked(context, to, message, { check, line })
}

async function saveFiles({ config, env }: ManagerContext, to: Addressee, messageId: string): Promise<OtherEvent[]> {
  const { store, session, runtime } = to
  const { worktree = null, role = 'worker' } = recordOf(session)
  const path = worktree === config.projects[session.projectId]?.path ? null : worktree
  const owner = { role, path, isElsewhere: runtime.elsewhere !== undefined }
  const { hasTurns, saveTurn } = await import('../../git/rescue/checkpoint.ts')
  if (!hasTurns(owner)) return []
  const turn = store.nextTurn(session.id, messageId)
  return saveTurn({ path: owner.path, sessionId: session.id, turn, env, messageId, isRecorded: true })
}

/** `entered`: its text is in the input line, but was not submitted. */
export async function hold(
  { store, session }: Addressee,
  { messageId, heldBecause }: UnfinishedMessage,
  { why, entered = false }: { why: string; entered?: boolean },
): Promise<SendReceipt> {
  // It is polled every few seconds; only news is recorded.
  if (heldBecause === why && !entered) {
    await store.update(session.id, { submittingMessage: null })
    return { messageId, level: 'held', why }
  }
  await store.update(session.id, { submittingMessage: null }, [
    { type: 'message.held', messageId, why, entered: entered || undefined },
  ])
  return { messageId, level: 'held', why }
}

/** A failure while pressing Enter stays unresolved: only the agent knows, and its records are checked first. */
async function postpone(to: Addressee, message: UnfinishedMessage, why: string): Promise<SendReceipt> {
  const { messageId } = message
  const now = readUnfinished(to.store, to.session.id).find((one) => one.messageId === messageId)
  return now?.submittingAt ? { messageId, level: 'held', why } : hold(to, message, { why })
}

export async function giveUp({ store, session }: Addressee, messageId: string, why: string): Promise<SendReceipt> {
  await store.update(session.id, (record) => ({ submittingMessage: null, ...withoutMessages(record, [messageId]) }), [
    { type: 'message.undelivered', messageId, why },
  ])
  return { messageId, level: 'undelivered', why }
}
