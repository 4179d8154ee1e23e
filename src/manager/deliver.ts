// One message to one agent, with a receipt: held, handed over, seen. Never a false success, never twice, never an answer to a
// dialog.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { AoError, errorText } from '../contract/errors.ts'
import { recordOf } from '../contract/record.ts'
import type { SendReceipt, Session } from '../contract/session.ts'
import { isTerminalSession } from '../contract/status.ts'
import { isPlainAnswer } from '../core/message/decide-entry.ts'
import { messageIdsOf } from '../core/message/unfinished-messages.ts'
import { sleep } from '../lib/clock.ts'
import { takeTurn, withLock } from '../lib/lock.ts'
import { measure } from '../lib/metrics/measures.ts'
import type { Runtime } from '../slots/runtime.ts'
import type { ManagerContext } from './context.ts'
import { PROMPT_FILE, readPrompt } from './launch/launch.ts'
import { asksForLine } from './message/answer-dialog.ts'
import { handOver, hold, queueMessage } from './message/hand-over.ts'
import { releaseMessages } from './message/release-messages.ts'
import { waitUntilSeen } from './message/wait-until-seen.ts'
import { wordingOf } from './message/wording.ts'
import { enrichOne } from './observe/enrich.ts'
import { type FoundSession, requireActive } from './observe/find-session.ts'
import { recoverSession } from './remove/recover.ts'
import type { DeliverOptions, OnProgress } from './types.ts'

/** Two messages at once would mix on the screen; the second waits this long for the first. */
const SEND_LOCK_MS = 60_000

export async function deliver(
  context: ManagerContext,
  sessionId: string,
  text: string,
  options: DeliverOptions = {},
): Promise<SendReceipt> {
  if (text.trim() === '') throw new AoError('USAGE', 'The message is empty', { hint: 'ao send <session> "<message>"' })
  const since = options.acceptedAt ?? context.clock.now().getTime()
  await recoverSession(context, sessionId)
  if ((options.source ?? 'user') === 'user') await wakePaused(context, sessionId)
  const { store } = requireActive(context, sessionId)
  store.ensure()
  const lock = store.paths.lockFile(`${sessionId}.send`)
  // Whoever sends after this one waits for it, however long the checks before it take.
  const turn = takeTurn(lock, since)
  try {
    const request = await checkRequest(context, sessionId, text, options)
    const receipt = await withLock(lock, () => sendInTurn(context, request), { timeoutMs: SEND_LOCK_MS, turn })
    const { projectId } = request.session
    measure('message', { repository: context.paths.hash, project: projectId, level: receipt.level })
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
  const session = await enrichOne(context, found)
  const runtime = await runtimeOf(context, session)
  refuseTooLong(runtime, text)
  await wordingOf(context, { session, runtime }, { text, raw: options.raw === true })
  return { found, session, runtime, text, options }
}

/** A paused session continues with the next message of a person. Agents and reactions start nothing that a person paused. */
async function wakePaused(context: ManagerContext, sessionId: string): Promise<void> {
  const found = requireActive(context, sessionId)
  if (found.stored.record.paused === undefined) return
  if (!isTerminalSession(await enrichOne(context, found))) return
  const { restore } = await import('./launch/restore.ts')
  await restore(context, sessionId)
  await waitForScreen(context, sessionId)
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
  const session = await enrichOne(context, found)
  const to = { store: found.store, session, runtime: await runtimeOf(context, session) }
  try {
    const lock = found.store.paths.lockFile(`${sessionId}.send`)
    return await withLock(lock, () => releaseMessages(context, to, options), { timeoutMs: HELD_LOCK_MS })
  } catch (error) {
    if (error instanceof AoError && error.code === 'LOCK_TIMEOUT') return null
    throw error
  }
}

/** What waits for an agent that has just been started. What it does not take yet is delivered by the loop, or the next sender. */
export async function deliverToStarted(context: ManagerContext, sessionId: string): Promise<void> {
  await waitForScreen(context, sessionId)
  await deliverHeld(context, sessionId)
}

/** For callers who want an exception rather than a receipt. */
export async function send(context: ManagerContext, sessionId: string, text: string): Promise<void> {
  const receipt = await deliver(context, sessionId, text)
  if (receipt.level !== 'undelivered') return
  throw new AoError('MESSAGE_UNDELIVERED', `The message did not reach ${sessionId}: ${receipt.why}`, {
    hint: `Attach to the session with: ao session attach ${sessionId}`,
    details: { ...receipt },
  })
}

/** The prompt of an agent that takes it after its start. Not fatal: the session stays, and `ao send` can repeat it. */
export async function deliverInitialPrompt(
  context: ManagerContext,
  sessionId: string,
  prompt: string | null,
  onProgress: OnProgress,
): Promise<void> {
  if (prompt === null) return
  onProgress('sending the prompt')
  const receipt = await tryInitialPrompt(context, sessionId, prompt)
  const { store } = requireActive(context, sessionId)
  await store.update(sessionId, { promptDelivered: PROMPT_DELIVERED[receipt.level] })
  if (receipt.level !== 'undelivered') return
  onProgress(`the prompt was not delivered: ${receipt.why}`)
  const file = join(context.paths.project(store.projectId).stateDir(sessionId), PROMPT_FILE)
  context.log.warn(
    `the prompt of ${sessionId} was not delivered; send it again with: ao send ${sessionId} --file ${file}`,
  )
}

const PROMPT_DELIVERED = { seen: 'yes', handed_over: 'unconfirmed', held: 'held', undelivered: 'no' } as const

async function tryInitialPrompt(context: ManagerContext, sessionId: string, prompt: string): Promise<SendReceipt> {
  try {
    await waitForScreen(context, sessionId)
    return await deliver(context, sessionId, prompt, { source: 'spawn' })
  } catch (error) {
    return { messageId: '', level: 'undelivered', why: errorText(error) }
  }
}

/** A message typed while the agent is still starting would be joined to its first prompt; so the prompt goes first. */
const FIRST_PROMPT_MS = 20_000

async function sendInTurn(context: ManagerContext, request: SendRequest): Promise<SendReceipt> {
  const { found, session, runtime, text, options } = request
  if (options.source !== 'spawn') await letPromptGoFirst(context, request)
  const to = { store: found.store, session, runtime }
  const messageId = options.source === 'spawn' ? initialMessageId(found) : randomUUID()
  const raw = options.raw ? ({ raw: true } as const) : {}
  const { source = 'user', by } = options
  const message = await queueMessage(context, to, { messageId, text, source, by, ...raw })
  if (found.store.read(session.id)?.record.switchTo !== undefined) return hold(to, message, { why: IS_SWITCHING })
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
async function letPromptGoFirst(context: ManagerContext, { found, session }: SendRequest): Promise<void> {
  const { promptDelivered } = found.stored.record
  if (promptDelivered !== 'no' && promptDelivered !== 'unconfirmed') return
  const prompt = readPrompt(context.paths.project(found.project.id).stateDir(session.id))
  if (prompt === null) return
  const since = session.restoredAt ?? session.createdAt
  const left = Math.max(0, FIRST_PROMPT_MS - (context.clock.now().getTime() - since.getTime()))
  const first = { messageId: initialMessageId(found), text: prompt, since }
  const seen = await waitUntilSeen(context, session, first, { timeoutMs: left })
  if (seen === true) await found.store.update(session.id, { promptDelivered: 'yes' })
}

interface SendRequest {
  found: FoundSession
  session: Session
  runtime: Runtime
  text: string
  options: DeliverOptions
}

/** The first prompt of a start is the same message, however often it is searched for. */
function initialMessageId({ stored }: FoundSession): string {
  return `prompt-${stored.record.spawnId ?? stored.id}`
}

export async function runtimeOf(context: ManagerContext, session: Session): Promise<Runtime> {
  const { id, status, runtimeHandle } = session
  const details = { sessionId: id, status }
  // Between two agents: what is sent waits for the second.
  if (isTerminalSession(session) && recordOf(session).switchTo === undefined) {
    throw new AoError('SESSION_NOT_RUNNING', `Session ${id} is not running: its status is ${status}`, {
      hint: `Restore it with: ao session restore ${id}`,
      details,
    })
  }
  if (runtimeHandle === null) {
    throw new AoError(
      'SESSION_NOT_RUNNING',
      `Session ${id} is ${status}, but its record names no runtime to send the message to`,
      { hint: `If it is still starting, try again in a moment; otherwise run: ao session kill ${id}`, details },
    )
  }
  return context.registry.load('runtime', runtimeHandle.runtimeName)
}

export function refuseTooLong(runtime: Runtime, text: string): void {
  const limit = runtime.maxMessageBytes
  const size = Buffer.byteLength(text)
  if (limit === undefined || size <= limit) return
  throw new AoError('USAGE', `The message has ${size} bytes; the ${runtime.name} runtime takes at most ${limit}`, {
    hint: 'Put the text into a file of the workspace and send its name',
  })
}

const SCREEN_POLL_MS = 100
/** A program whose screen is unchanged for this long is ready; one that shows nothing at all gets longer. */
const SETTLED_POLLS = 3
const SETTLED_BLANK_POLLS = 20

/** A terminal program that has drawn something and stopped changing is ready for input. */
async function waitForScreen(context: ManagerContext, sessionId: string, timeoutMs = 15_000): Promise<void> {
  const session = await enrichOne(context, requireActive(context, sessionId))
  const runtime = await runtimeOf(context, session)
  if (runtime.drivesAcpAgents) return
  const deadline = performance.now() + timeoutMs
  let before = ''
  let unchanged = 0
  while (performance.now() < deadline) {
    const screen = await runtime.getOutput(session.runtimeHandle!, 40)
    unchanged = screen === before ? unchanged + 1 : 0
    if (unchanged >= (screen.trim() === '' ? SETTLED_BLANK_POLLS : SETTLED_POLLS)) return
    before = screen
    await sleep(SCREEN_POLL_MS)
  }
}
