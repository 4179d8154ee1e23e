// One message to one agent, with a receipt: queued, handed over, seen. Never a false success, never twice.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { AoError, errorText } from '../contract/errors.ts'
import type { SessionEventBody } from '../contract/events.ts'
import type { SessionRecord } from '../contract/record.ts'
import type { SendReceipt, Session } from '../contract/session.ts'
import { isTerminalSession, type SessionStatus } from '../contract/status.ts'
import { withLock } from '../lib/lock.ts'
import type { Runtime } from '../slots/runtime.ts'
import type { ManagerContext } from './context.ts'
import { PROMPT_FILE, readPrompt } from './launch/launch.ts'
import { enrichOne } from './observe/enrich.ts'
import { type FoundSession, requireActive } from './observe/find-session.ts'
import { hasSeen, type SentMessage } from './observe/has-seen.ts'
import { recoverSession } from './remove/recover.ts'
import type { DeliverOptions, OnProgress } from './types.ts'

const DEFAULT_RECEIPT_MS = 10_000
const RECEIPT_POLL_MS = 100
/** Two messages at once would mix on the screen; the second waits this long for the first. */
const SEND_LOCK_MS = 60_000

export async function deliver(
  context: ManagerContext,
  sessionId: string,
  text: string,
  options: DeliverOptions = {},
): Promise<SendReceipt> {
  if (text.trim() === '') throw new AoError('USAGE', 'The message is empty', { hint: 'ao send <session> "<message>"' })
  await recoverSession(context, sessionId)
  const found = requireActive(context, sessionId)
  const session = await enrichOne(context, found)
  const runtime = await runtimeOf(context, session)
  refuseTooLong(runtime, text)
  found.store.ensure()
  return withLock(
    found.store.paths.lockFile(`${sessionId}.send`),
    () => sendInTurn(context, { found, session, runtime, text, options }),
    { timeoutMs: SEND_LOCK_MS },
  )
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

/** The prompt of an agent that takes it after its start. Not fatal: the session stands, and `ao send` can say it again. */
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

const PROMPT_DELIVERED = { seen: 'yes', handed_over: 'unconfirmed', undelivered: 'no' } as const

async function tryInitialPrompt(context: ManagerContext, sessionId: string, prompt: string): Promise<SendReceipt> {
  try {
    await waitForScreen(context, sessionId)
    return await deliver(context, sessionId, prompt, { source: 'spawn' })
  } catch (error) {
    return { messageId: '', level: 'undelivered', why: errorText(error) }
  }
}

/** A message typed while the agent still starts would be glued to its first prompt; so the prompt goes first. */
const FIRST_PROMPT_MS = 20_000

async function sendInTurn(context: ManagerContext, request: HandOver): Promise<SendReceipt> {
  if (request.options.source !== 'spawn') await letPromptGoFirst(context, request)
  return handOver(context, request)
}

/** Only a launch that carries the prompt, and only while it is young: a resumed agent has it in its history. */
async function letPromptGoFirst(context: ManagerContext, { found, session }: HandOver): Promise<void> {
  const { promptDelivered } = found.stored.record
  if (promptDelivered !== 'no' && promptDelivered !== 'unconfirmed') return
  const prompt = readPrompt(context.paths.project(found.project.id).stateDir(session.id))
  if (prompt === null) return
  const since = session.restoredAt ?? session.createdAt
  const left = Math.max(0, FIRST_PROMPT_MS - (context.clock.now().getTime() - since.getTime()))
  const first = { messageId: initialMessageId(found), text: prompt, since }
  const seen = await waitUntilSeen(context, session, first, left)
  if (seen === true) await found.store.update(session.id, { promptDelivered: 'yes' })
}

interface HandOver {
  found: FoundSession
  session: Session
  runtime: Runtime
  text: string
  options: DeliverOptions
}

async function handOver(context: ManagerContext, request: HandOver): Promise<SendReceipt> {
  const { found, session, runtime, text, options } = request
  const { store } = found
  const messageId = options.source === 'spawn' ? initialMessageId(found) : randomUUID()
  const since = context.clock.now()
  await store.appendEvents(session.id, [{ type: 'message.queued', messageId, text, source: options.source ?? 'user' }])
  try {
    const interrupt = options.interrupt ? { interrupt: true } : {}
    await runtime.sendMessage(session.runtimeHandle!, text, { messageId, ...interrupt })
  } catch (error) {
    const why = errorText(error)
    await store.appendEvents(session.id, [{ type: 'message.undelivered', messageId, why }])
    return { messageId, level: 'undelivered', why }
  }
  const at = context.clock.now()
  // A person's word makes the agent's silence a new one; the loop's own does not.
  const attended = (options.source ?? 'user') === 'user' ? { attendedAt: at } : {}
  await store.update(session.id, { lastMessageAt: at, ...attended }, [{ type: 'message.handed_over', messageId }])
  const seen = await waitUntilSeen(context, session, { messageId, text, since }, options.timeoutMs)
  if (seen !== true) {
    // Nobody will ever confirm it, so the question counts as answered now; the screen says if it is asked again.
    if (seen === NO_RECORDS) await noteAnswered(context, found)
    return { messageId, level: 'handed_over', why: runtime.events ? 'it waits behind the turn that runs' : seen }
  }
  await noteAnswered(context, found, [{ type: 'message.seen', messageId }])
  return { messageId, level: 'seen' }
}

const NO_RECORDS = 'the agent keeps no records that could confirm it'

/** true, or why there is no proof. */
async function waitUntilSeen(
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
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS))
  }
}

/** The first prompt of a start is the same message however often it is looked for. */
function initialMessageId({ stored }: FoundSession): string {
  return `prompt-${stored.record.spawnId ?? stored.id}`
}

/** An alarm that the message answers is over; everything else stays for the facts to decide. */
async function noteAnswered(
  context: ManagerContext,
  { store, stored }: FoundSession,
  events: SessionEventBody[] = [],
): Promise<void> {
  await store.update(
    stored.id,
    (record) => {
      const change = statusAfterMessage(record)
      return change ? { status: change.to, statusSince: context.clock.now() } : {}
    },
    (record) => {
      const change = statusAfterMessage(record)
      return change ? [...events, { type: 'status.changed', ...change, evidence: ['it got a message'] }] : events
    },
  )
}

function statusAfterMessage({ status, pr }: SessionRecord): { from: SessionStatus; to: SessionStatus } | null {
  if (status !== 'needs_input' && status !== 'stuck') return null
  return { from: status, to: pr ? 'pr_open' : 'working' }
}

async function runtimeOf(context: ManagerContext, session: Session): Promise<Runtime> {
  const { id, status, runtimeHandle } = session
  const details = { sessionId: id, status }
  if (isTerminalSession(session)) {
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

function refuseTooLong(runtime: Runtime, text: string): void {
  const limit = runtime.maxMessageBytes
  const size = Buffer.byteLength(text)
  if (limit === undefined || size <= limit) return
  throw new AoError('USAGE', `The message has ${size} bytes; the ${runtime.name} runtime takes at most ${limit}`, {
    hint: 'Put the text into a file of the workspace and send its name',
  })
}

const SCREEN_POLL_MS = 100
/** A program that stands still for this long is ready; one that shows nothing at all gets longer. */
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
    await new Promise((resolve) => setTimeout(resolve, SCREEN_POLL_MS))
  }
}
