// What an agent's records and its screen say about one message: whether its terminal accepts it now, and afterwards whether the agent got
// it, sooner or later. A message is never an approval.
import type { ScreenInput } from '../../contract/dialog.ts'
import { AoError } from '../../contract/errors.ts'
import type { OtherEvent } from '../../contract/events.ts'
import { submittingMessage } from '../../contract/record-values.ts'
import type { Session } from '../../contract/session.ts'
import { decideEntry, type Entry, isPlainAnswer, withoutTyped } from '../../core/message/decide-entry.ts'
import { messageFileText } from '../../core/message/message-file.ts'
import { neutralisePaste } from '../../core/text/paste-text.ts'
import { sleep } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { ActivityReading, Agent, Seen } from '../../slots/agent.ts'
import type { Runtime, ScreenCheck } from '../../slots/runtime.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { Addressee } from '../active.ts'
import type { ManagerContext, ReachedSession } from '../context.ts'
import { readOptions } from '../observe/observe-sessions.ts'

/** Whose terminal it is. */
export interface Recipient {
  session: Session
  runtime: Runtime
  agent: Agent | null
}

/** For a runtime that cannot report what is visible. */
const DIALOG_LINES = 60
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with one.
const SGR = /\u001b\[[0-9;:]*m/g
/** Records are written a moment after the screen is drawn, or the other way round. */
const AGREE_MS = 2_000
const AGREE_POLL_MS = 100
const RECORDS_MS = 2_000
const SECOND_READ_MS = 60
/** OpenCode needs up to half a minute on a busy machine. */
const STARTING_MS = 40_000
/** A screen that is being redrawn shows no input line for a moment. */
const REDRAWN_MS = 1_500
/** Any program that draws something has drawn its first line by then. */
const FIRST_LINE_MS = 10_000

/**
 * Throws AGENT_ASKS when nothing may be typed, among others because the screen shows no input line that ao recognizes.
 * `isTyped`: the text of the message is on the screen already.
 */
export type EntryCheck = (screen: string, isTyped?: boolean) => Promise<void>

/** null: this runtime does not type, so nothing can end up in a dialog. */
export function createEntryCheck(
  context: ManagerContext,
  to: Recipient,
  message: { text: string; source?: string; isAnswer?: boolean | undefined },
): EntryCheck | null {
  const { session, runtime, agent } = to
  if (runtime.events) return null
  // A message that itself reads like a question would block itself once it is on the screen, and only then.
  const readsLikeQuestion = readScreen(agent, message.text).takes === 'keys'
  const answer = message.isAnswer ? 'declared' : isPlainAnswer(message.text, message.source ?? '') ? 'plain' : null
  const checkOnce = async (screen: string, isTyped: boolean) => {
    const input = await readInput(context, to, screen)
    const mayBeOwn = isTyped && readsLikeQuestion && input.takes === 'keys'
    const rest = mayBeOwn ? await readInput(context, to, withoutTyped(screen, message.text)) : null
    const records = await readRecords(context, agent, session)
    const entry = decideEntry({
      screen: rest?.takes === 'text' ? rest : input,
      activity: records?.state ?? null,
      asksInWords: records?.asksInWords === true,
      isEnding: records?.isEnding === true,
      recordsAreScreen: agent?.activitySource === 'screen',
      answer,
    })
    if (!entry.may) throw agentAsks(session.id, entry, input)
  }
  return async (screen, isTyped = false) => {
    const redrawn = performance.now() + REDRAWN_MS
    for (let now = screen; ; now = await visibleScreen(to)) {
      try {
        return await checkOnce(now, isTyped)
      } catch (error) {
        if (screenOf(error) !== 'unknown' || performance.now() >= redrawn) throw error
        await sleep(SECOND_READ_MS)
      }
    }
  }
}

/**
 * The first checks: when the records and the screen disagree, they get a moment. A screen without an input line may be about
 * to be drawn: an agent that draws it late gets the time after its start, any other one the time until its screen is no longer
 * blank.
 */
export async function checkBeforeEntering(context: ManagerContext, check: EntryCheck, to: Recipient): Promise<void> {
  const agreed = performance.now() + AGREE_MS
  const startingMs = to.agent?.drawsInputLate ? STARTING_MS : 0
  const age = ageOf(context, to.session)
  const after = (ms: number) => performance.now() + Math.max(SECOND_READ_MS, ms - age)
  const drawn = after(startingMs)
  const begun = after(Math.max(startingMs, FIRST_LINE_MS))
  for (;;) {
    const screen = await visibleScreen(to)
    try {
      return await check(screen)
    } catch (error) {
      const deadline = { text: agreed, unknown: screen.trim() === '' ? begun : drawn, keys: 0 }[
        screenOf(error) ?? 'keys'
      ]
      if (performance.now() >= deadline) throw error
      await sleep(AGREE_POLL_MS)
    }
  }
}

export interface InputLine {
  /** Own text may be in it, and the screen does not show it: it is cleared before the message is typed. */
  clearFirst: boolean
  /** Throws AGENT_ASKS when somebody has typed in the meantime. null: the screen does not show it. */
  stillFree: (() => Promise<void>) | null
}

interface Guards {
  check: EntryCheck
  line: InputLine
}

/** Types it, checked before its text and before Enter. The record says for which message Enter is about to be pressed. */
export async function enterChecked(
  context: ManagerContext,
  to: Addressee,
  { messageId, text }: { messageId: string; text: string },
  guards: Guards,
): Promise<void> {
  const { clearFirst } = guards.line
  const check = beforeEachStep(context, to, messageId, guards)
  await to.runtime.sendMessage(to.session.runtimeHandle!, text, { messageId, clearFirst, check })
}

function beforeEachStep(
  context: ManagerContext,
  to: Addressee,
  messageId: string,
  { check, line }: Guards,
): ScreenCheck {
  return async (screen, step) => {
    await check(screen, step === 'enter')
    if (step === 'text') return line.stillFree?.()
    await to.store.update(to.session.id, submittingMessage(messageId, context.clock.now()))
    failpoint('send.submitting')
    // Recording took a moment, in which a dialog may have appeared.
    await check(await visibleScreen(to), true)
  }
}

/** Of its current start. A clock that was set back counts as just started. */
function ageOf({ clock }: ManagerContext, { restoredAt, createdAt }: Session): number {
  return Math.max(0, clock.now().getTime() - (restoredAt ?? createdAt).getTime())
}

/** Only what is visible: scrolled-away text may look like an open dialog. */
export async function visibleScreen(
  { session, runtime }: Pick<Recipient, 'session' | 'runtime'>,
  how: { styled?: boolean } = {},
): Promise<string> {
  const handle = session.runtimeHandle!
  const styled = await runtime.getStyledScreen?.(handle)
  if (styled === undefined) return runtime.getOutput(handle, DIALOG_LINES)
  return how.styled ? styled : styled.replaceAll(SGR, '')
}

export function readScreen(agent: Agent | null, screen: string): ScreenInput {
  if (agent?.readScreenInput) return agent.readScreenInput(screen)
  // A plugin of somebody else that does not read screens says with it that its agent takes text whenever it does not ask.
  const asks = agent?.detectActivity(screen) === 'waiting_input'
  return asks ? { takes: 'keys', dialog: null } : { takes: 'text' }
}

/** A program without a visible input line takes text if its terminal is in line mode, as it is for everything that reads lines. */
async function readInput(
  context: ManagerContext,
  { session, runtime, agent }: Recipient,
  screen: string,
): Promise<ScreenInput> {
  const input = readScreen(agent, screen)
  if (input.takes !== 'unknown' || input.shows !== undefined || !agent?.mayReadLines) return input
  // Every terminal is in line mode until its program has changed that.
  if (screen.trim() === '' && ageOf(context, session) < FIRST_LINE_MS) return input
  return (await runtime.isInLineMode?.(session.runtimeHandle!)) ? { takes: 'text' } : input
}

async function readRecords(
  context: ManagerContext,
  agent: Agent | null,
  session: Session,
): Promise<ActivityReading | null> {
  if (!agent) return null
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), RECORDS_MS)
  })
  try {
    return await Promise.race([agent.getActivityState(session, readOptions(context, session)), late])
  } catch {
    // Unreadable records say nothing; the screen still does.
    return null
  } finally {
    clearTimeout(timer)
  }
}

function agentAsks(sessionId: string, entry: Extract<Entry, { may: false }>, input: ScreenInput): AoError {
  const hint =
    input.takes === 'unknown'
      ? `See what it shows with: ao session attach ${sessionId}. The message is delivered once its input line is back`
      : `Answer it with: ao session approve ${sessionId}, or: ao session deny ${sessionId}`
  return new AoError('AGENT_ASKS', `${sessionId} takes no message now: ${entry.why}`, {
    hint,
    details: { sessionId, why: entry.why, screen: input.takes },
  })
}

export function isAgentAsks(error: unknown): error is AoError {
  return error instanceof AoError && error.code === 'AGENT_ASKS'
}

/** What the screen took when the error was made; undefined: it is another error. */
function screenOf(error: unknown): ScreenInput['takes'] | undefined {
  return isAgentAsks(error) ? (error.details.screen as ScreenInput['takes']) : undefined
}

/** An alarm that the message answers is over; the facts decide everything else. */
export async function noteAnswered(
  { store, session }: { store: SessionStore; session: Session },
  events: OtherEvent[] = [],
  why = 'it got a message',
): Promise<Session> {
  return store.update(
    session.id,
    ({ status }) => (status === 'needs_input' || status === 'stuck' ? { launched: 'yes', alarm: null } : {}),
    events,
    [why],
  )
}

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
  to: ReachedSession,
  sent: SentMessage,
  { timeoutMs = DEFAULT_RECEIPT_MS, whileUnseen }: Waiting = {},
): Promise<true | string> {
  const deadline = performance.now() + timeoutMs
  let unseen = performance.now() + UNSEEN_MS
  for (;;) {
    const seen = await hasSeen(context, to, sent)
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
export async function hasSeen(context: ManagerContext, to: ReachedSession, sent: SentMessage): Promise<Seen> {
  const { session, runtime, agent } = to
  if (runtime?.events) return runtime.events.hasSeen(session.runtimeHandle!, sent.messageId)
  if (!agent?.hasSeen) return null
  const options = readOptions(context, session)
  // As it was entered: without control characters; of a long one the line that names its file.
  const seen = await agent.hasSeen(session, neutralisePaste(sent.text), sent.since, options)
  if (seen !== false || agent.typedLimit === undefined || Buffer.byteLength(sent.text) <= agent.typedLimit) return seen
  return agent.hasSeen(session, messageFileText(sent.messageId), sent.since, options)
}
