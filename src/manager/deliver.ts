// One message to one agent, with a receipt: held, handed over, seen. Never a false success, never twice, never an answer to a
// dialog.

import { randomUUID } from 'node:crypto'
import type { Attachment } from '../contract/agh/attachment.ts'
import { AoError } from '../contract/errors.ts'
import { recordOf, type SessionRecord } from '../contract/record.ts'
import { firstMessageId, messageIdsOf } from '../contract/record-values.ts'
import type { SendReceipt } from '../contract/session.ts'
import { isTerminalSession } from '../contract/status.ts'
import { nameAttachments } from '../core/message/attachment.ts'
import { isPlainAnswer } from '../core/message/decide-entry.ts'
import { takeTurn } from '../lib/lock.ts'
import { measure } from '../lib/measures.ts'
import type { Runtime } from '../slots/runtime.ts'
import { isPaused, readPause } from '../store/fleet-pause.ts'
import { lastOf } from '../store/session/history.ts'
import { readPrompt } from '../store/session/session-file.ts'
import type { SessionStore } from '../store/session/session-store.ts'
import { type Addressee, reachAgent } from './active.ts'
import { findActive, type ManagerContext, type ReachedSession, requireActive } from './context.ts'
import { asksForLine } from './message/answer-dialog.ts'
import { describeAttachments, keepAttachments, sweepAttachments } from './message/attached-files.ts'
import { waitUntilSeen } from './message/entry-check.ts'
import { handOver, hold, queueMessage } from './message/hand-over.ts'
import { releaseMessages } from './message/release-messages.ts'
import { withSendLock } from './message/send-lock.ts'
import { wordingOf } from './message/wording.ts'
import { readOne } from './observe/enrich.ts'
import { writeTrouble } from './remove/stop-unrecorded.ts'
import type { DeliverOptions } from './types.ts'

export interface Delivery extends DeliverOptions {
  /** The caller has just observed it, and nothing has happened to it since: it is not observed again. */
  reached?: ReachedSession | undefined
}

/** The message of a reaction, whose session the loop has just observed: it knows that no command was left half-way. */
export function react(
  context: ManagerContext,
  sessionId: string,
  text: string,
  how: Pick<Delivery, 'source' | 'interrupt' | 'timeoutMs'> & { reached: ReachedSession },
): Promise<SendReceipt> {
  refuseEmpty(text, {})
  return explainTrouble(context, { sessionId, text }, () => deliver(context, sessionId, text, how))
}

export function refuseEmpty(text: string, { files = [] }: Pick<DeliverOptions, 'files'>): void {
  if (text.trim() !== '' || files.length > 0) return
  throw new AoError('USAGE', 'The message is empty', { hint: 'ao send <session> "<message>"' })
}

/** States whether a message that hit a full disk was sent, as far as that is known. */
export async function explainTrouble(
  context: ManagerContext,
  message: { sessionId: string; text: string },
  work: () => Promise<SendReceipt>,
): Promise<SendReceipt> {
  const since = context.clock.now()
  try {
    return await work()
  } catch (error) {
    const trouble = writeTrouble(error)
    if (!trouble) throw error
    const what = wasNoted(context, message, since)
      ? `It is not certain that the message reached ${message.sessionId}, because that could not be recorded`
      : `The message was not sent to ${message.sessionId}`
    const hint = trouble.hint === undefined ? {} : { hint: trouble.hint }
    throw new AoError(trouble.code, `${what}: ${trouble.message}`, { ...hint, details: trouble.details, cause: error })
  }
}

/** It is recorded before it is sent, so a message that could not be recorded was not sent. */
function wasNoted(
  context: ManagerContext,
  { sessionId, text }: { sessionId: string; text: string },
  since: Date,
): boolean {
  const store = findActive(context, sessionId)?.store
  const queued = store && lastOf(store.paths, sessionId, 'message.queued')
  return queued?.text.startsWith(text.trimEnd()) === true && Date.parse(queued.at) >= since.getTime()
}

export async function deliver(
  context: ManagerContext,
  sessionId: string,
  given: string,
  options: Delivery = {},
): Promise<SendReceipt> {
  const since = options.acceptedAt ?? context.clock.now().getTime()
  const store = options.reached
    ? context.store(options.reached.session.projectId)
    : requireActive(context, sessionId).store
  store.ensure()
  // Whoever sends after this one waits for it, however long the checks before it take.
  const turn = takeTurn(store.paths.sendLock(sessionId), since)
  try {
    const to = reachedAgent(context, store, options.reached) ?? (await findAgent(context, sessionId))
    // What can never be entered is refused before it is queued: it must not be held.
    const { attachments, text } = withFiles(to, given, options)
    refuseTooLong(to.runtime, text)
    wordingOf(to, { text, raw: options.raw === true, attachments })
    const request = { to, text, attachments, options }
    const receipt = await withSendLock(store, sessionId, 'message', () => sendInTurn(context, request), turn)
    measure('message', { repository: context.paths.hash, project: store.projectId, level: receipt.level })
    return receipt
  } finally {
    turn.leave()
  }
}

/** The text names the files that come with it; those of a prompt are named already. */
function withFiles(to: Addressee, text: string, { files, attachments, raw }: DeliverOptions) {
  if (files === undefined || files.length === 0) return { text, attachments: attachments ?? [] }
  if (raw) throw new AoError('USAGE', "A command of the agent's own takes no files", { hint: 'Send it without --raw' })
  const described = describeAttachments(files)
  return { text: nameAttachments(text, described, to.agent?.fileMention), attachments: described }
}

/** Throws when there is no agent to reach. */
async function findAgent(context: ManagerContext, sessionId: string): Promise<Addressee> {
  const found = requireActive(context, sessionId)
  return reachAgent(context, found, await readOne(context, found))
}

/** null: it has to be found, or to be said why it cannot be. */
function reachedAgent(
  { config }: ManagerContext,
  store: SessionStore,
  reached: ReachedSession | undefined,
): Addressee | null {
  const project = config.projects[store.projectId]
  if (project === undefined) return null
  if (!reached?.runtime || reached.session.runtimeHandle === null || isTerminalSession(reached.session)) return null
  const { session, runtime } = reached
  return { project, store, session, runtime, agent: runtime.events ? null : reached.agent }
}

/** Delivers held messages, if the agent accepts them now. null: another sender is active and does the same. */
export async function deliverHeld(
  context: ManagerContext,
  sessionId: string,
  options: Pick<DeliverOptions, 'timeoutMs'> = {},
): Promise<SendReceipt[] | null> {
  const found = requireActive(context, sessionId)
  if (messageIdsOf(found.stored.record).length === 0) return []
  const to = await reachAgent(context, found, await readOne(context, found))
  try {
    return await withSendLock(found.store, sessionId, 'held', () => releaseMessages(context, to, options))
  } catch (error) {
    if (error instanceof AoError && error.code === 'LOCK_TIMEOUT') return null
    throw error
  }
}

/** A message typed while the agent is still starting would be joined to its first prompt; so the prompt goes first. */
const FIRST_PROMPT_MS = 20_000

async function sendInTurn(context: ManagerContext, request: SendRequest): Promise<SendReceipt> {
  const { to, text, attachments, options } = request
  const { session, store } = to
  const isFirst = options.source === 'spawn'
  if (!isFirst && whyHeld(context, recordOf(session)) === null) await letPromptGoFirst(context, to)
  const messageId = isFirst ? firstMessageId(session.id, recordOf(session)) : randomUUID()
  const raw = options.raw ? ({ raw: true } as const) : {}
  const { source = 'user', by } = options
  if (options.files?.length) {
    sweepAttachments(store, session.id, context.clock.now())
    keepAttachments(store.paths, session.id, options.files)
  }
  const queued = await queueMessage(context, to, { messageId, text, source, by, attachments, ...raw })
  const { message } = queued
  const why = whyHeld(context, queued.record)
  if (why !== null) return hold(to, message, { why })
  // Earlier held messages go first, and this one waits for whatever they wait for.
  const earlier = queued.isAlone ? [] : await releaseMessages(context, to, { before: messageId })
  const held = earlier.find(({ level }) => level === 'held')
  // An answer to the question that holds them goes before them.
  const isAnswer = async () => options.isAnswer || (isPlainAnswer(text, source) && (await asksForLine(to)))
  if (held && !(await isAnswer())) return hold(to, message, { why: held.why ?? 'an earlier message is held' })
  return handOver(context, to, message, options)
}

const IS_PAUSED = 'ao is paused; it is delivered after: ao resume'
const IS_STOPPED = 'its agent is paused by its budget; it is delivered when it may spend more'
const IS_SWITCHING = 'its session is being continued with another account'
const GOES_BACK = 'its agent goes back in its conversation'

/** null: nothing keeps it from being delivered now. */
function whyHeld({ paths }: ManagerContext, { switchTo, conversationTo, stopped }: SessionRecord): string | null {
  if (switchTo !== undefined) return IS_SWITCHING
  if (conversationTo !== undefined) return GOES_BACK
  if (isPaused(readPause(paths))) return IS_PAUSED
  return stopped?.state === 'stopped' ? IS_STOPPED : null
}

/** Only for a launch that carries the prompt, and only while it is recent: a resumed agent has it in its history. */
async function letPromptGoFirst(context: ManagerContext, to: Addressee): Promise<void> {
  const { session, store } = to
  const { promptDelivered } = recordOf(session)
  if (promptDelivered !== 'no' && promptDelivered !== 'unconfirmed') return
  const prompt = readPrompt(store.paths.stateDir(session.id))
  if (prompt === null) return
  const since = session.restoredAt ?? session.createdAt
  const left = Math.max(0, FIRST_PROMPT_MS - (context.clock.now().getTime() - since.getTime()))
  const first = { messageId: firstMessageId(session.id, recordOf(session)), text: prompt, since }
  const seen = await waitUntilSeen(context, to, first, { timeoutMs: left })
  if (seen === true) await store.update(session.id, { promptDelivered: 'yes' })
}

interface SendRequest {
  to: Addressee
  text: string
  attachments: readonly Attachment[]
  options: DeliverOptions
}

export function refuseTooLong(runtime: Runtime, text: string): void {
  const limit = runtime.maxMessageBytes
  const size = Buffer.byteLength(text)
  if (limit === undefined || size <= limit) return
  throw new AoError('USAGE', `The message has ${size} bytes; the ${runtime.name} runtime takes at most ${limit}`, {
    hint: 'Put the text into a file of the workspace and send its name',
  })
}
