// One message to one agent, with a receipt: held, handed over, seen. Never a false success, never twice, never an answer to a
// dialog.
import { randomUUID } from 'node:crypto'
import { AoError } from '../contract/errors.ts'
import type { SendReceipt } from '../contract/session.ts'
import { isPlainAnswer } from '../core/message/decide-entry.ts'
import { messageIdsOf } from '../core/message/unfinished-messages.ts'
import { takeTurn, withLock } from '../lib/lock.ts'
import { measure } from '../lib/measures.ts'
import type { Runtime } from '../slots/runtime.ts'
import { type ActiveSession, reachAgent } from './active.ts'
import { type ManagerContext, requireActive } from './context.ts'
import { readPrompt } from './launch/prompt-files.ts'
import { asksForLine } from './message/answer-dialog.ts'
import { handOver, hold, queueMessage } from './message/hand-over.ts'
import { releaseMessages } from './message/release-messages.ts'
import { waitUntilSeen } from './message/wait-until-seen.ts'
import { wordingOf } from './message/wording.ts'
import { probeOne, readOne } from './observe/enrich.ts'
import type { DeliverOptions } from './types.ts'

/** Two messages at once would mix on the screen; the second waits this long for the first. */
const SEND_LOCK_MS = 60_000

export async function deliver(
  context: ManagerContext,
  sessionId: string,
  text: string,
  options: DeliverOptions = {},
): Promise<SendReceipt> {
  const since = options.acceptedAt ?? context.clock.now().getTime()
  const { store } = requireActive(context, sessionId)
  store.ensure()
  const lock = store.paths.lockFile(`${sessionId}.send`)
  // Whoever sends after this one waits for it, however long the checks before it take.
  const turn = takeTurn(lock, since)
  try {
    const request = await checkRequest(context, sessionId, text, options)
    const receipt = await withLock(lock, () => sendInTurn(context, request), { timeoutMs: SEND_LOCK_MS, turn })
    measure('message', { repository: context.paths.hash, project: store.projectId, level: receipt.level })
    return receipt
  } finally {
    turn.leave()
  }
}

/** Throws what can be refused before it is queued: a message that can never be entered must not be held. */
async function checkRequest(
  context: ManagerContext,
  sessionId: string,
  text: string,
  options: DeliverOptions,
): Promise<SendRequest> {
  const found = requireActive(context, sessionId)
  const session = await (options.isObserved ? probeOne : readOne)(context, found)
  const to = await reachAgent(context, found, session)
  refuseTooLong(to.runtime, text)
  wordingOf(to, { text, raw: options.raw === true })
  return { to, text, options }
}

/** The current sender delivers held messages too, so there is no need to wait for it. */
const HELD_LOCK_MS = 100

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
    const lock = found.store.paths.lockFile(`${sessionId}.send`)
    return await withLock(lock, () => releaseMessages(context, to, options), { timeoutMs: HELD_LOCK_MS })
  } catch (error) {
    if (error instanceof AoError && error.code === 'LOCK_TIMEOUT') return null
    throw error
  }
}

/** A message typed while the agent is still starting would be joined to its first prompt; so the prompt goes first. */
const FIRST_PROMPT_MS = 20_000

async function sendInTurn(context: ManagerContext, request: SendRequest): Promise<SendReceipt> {
  const { to, text, options } = request
  const { session, store } = to
  if (options.source !== 'spawn') await letPromptGoFirst(context, to)
  const messageId = options.source === 'spawn' ? initialMessageId(to) : randomUUID()
  const raw = options.raw ? ({ raw: true } as const) : {}
  const { source = 'user', by } = options
  const message = await queueMessage(context, to, { messageId, text, source, by, ...raw })
  if (store.read(session.id)?.record.switchTo !== undefined) return hold(to, message, { why: IS_SWITCHING })
  // Earlier held messages go first, and this one waits for whatever they wait for.
  const earlier = await releaseMessages(context, to, { before: messageId })
  const held = earlier.find(({ level }) => level === 'held')
  // An answer to the question that holds them goes before them.
  const isAnswer = options.isAnswer || (isPlainAnswer(text, source) && (await asksForLine(context, to)))
  if (held && !isAnswer) return hold(to, message, { why: held.why ?? 'an earlier message is held' })
  return handOver(context, to, message, options)
}

const IS_SWITCHING = 'its session is being continued with another account'

/** Only for a launch that carries the prompt, and only while it is recent: a resumed agent has it in its history. */
async function letPromptGoFirst(context: ManagerContext, to: ActiveSession): Promise<void> {
  const { session, store, stored, project } = to
  const { promptDelivered } = stored.record
  if (promptDelivered !== 'no' && promptDelivered !== 'unconfirmed') return
  const prompt = readPrompt(context.paths.project(project.id).stateDir(session.id))
  if (prompt === null) return
  const since = session.restoredAt ?? session.createdAt
  const left = Math.max(0, FIRST_PROMPT_MS - (context.clock.now().getTime() - since.getTime()))
  const first = { messageId: initialMessageId(to), text: prompt, since }
  const seen = await waitUntilSeen(context, session, first, { timeoutMs: left })
  if (seen === true) await store.update(session.id, { promptDelivered: 'yes' })
}

interface SendRequest {
  to: ActiveSession
  text: string
  options: DeliverOptions
}

/** The first prompt of a start is the same message, however often it is searched for. */
function initialMessageId({ stored }: ActiveSession): string {
  return `prompt-${stored.record.spawnId ?? stored.id}`
}

export function refuseTooLong(runtime: Runtime, text: string): void {
  const limit = runtime.maxMessageBytes
  const size = Buffer.byteLength(text)
  if (limit === undefined || size <= limit) return
  throw new AoError('USAGE', `The message has ${size} bytes; the ${runtime.name} runtime takes at most ${limit}`, {
    hint: 'Put the text into a file of the workspace and send its name',
  })
}
