// Whether an agent's terminal accepts a message now, judging by its records and its screen. A message is never an approval.
import type { ScreenInput } from '../../contract/dialog.ts'
import { AoError } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { decideEntry, type Entry } from '../../core/message/decide-entry.ts'
import { sleep } from '../../lib/clock.ts'
import type { ActivityReading, Agent } from '../../slots/agent.ts'
import type { Runtime } from '../../slots/runtime.ts'
import type { ManagerContext } from '../context.ts'
import { agentOf as agentWhereItRuns } from '../observe/agent-of.ts'
import { readOptions } from '../read-options.ts'

export interface Recipient {
  session: Session
  runtime: Runtime
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
/** Any program that draws something has drawn its first line by then. */
const FIRST_LINE_MS = 10_000

/** Throws AGENT_ASKS when nothing may be typed. Resolves with false when the agent recognized nothing on the screen. */
export type EntryCheck = (screen: string) => Promise<boolean>

/** null: this runtime does not type, so nothing can end up in a dialog. */
export async function createEntryCheck(
  context: ManagerContext,
  { session, runtime }: Recipient,
  message: { text: string; isAnswer: boolean },
): Promise<EntryCheck | null> {
  if (runtime.events) return null
  const agent = await agentOf(context, session)
  // A message that itself reads like a question would block itself once it is on the screen.
  const readsLikeQuestion = readScreen(agent, message.text).takes === 'keys'
  return async (screen) => {
    const input = readScreen(agent, screen)
    const isOwnText = readsLikeQuestion && input.takes === 'keys' && input.dialog === null
    const records = await readRecords(context, agent, session)
    const entry = decideEntry({
      screen: isOwnText ? { takes: 'unknown' } : input,
      activity: records?.state ?? null,
      asksInWords: records?.asksInWords === true,
      recordsAreScreen: agent?.activitySource === 'screen',
      isAnswer: message.isAnswer,
    })
    if (!entry.may) throw agentAsks(session.id, entry, input)
    return input.takes !== 'unknown' || !agent?.readScreenInput
  }
}

/**
 * The first checks: when the records and the screen disagree, they get a moment. A screen with nothing recognizable may be
 * about to be drawn: an agent that draws it late gets the time after its start, any other one a second check, or the time
 * until its screen is no longer blank.
 */
export async function checkBeforeEntering(context: ManagerContext, check: EntryCheck, to: Recipient): Promise<void> {
  const deadline = performance.now() + AGREE_MS
  const startingMs = (await agentOf(context, to.session))?.drawsInputLate ? STARTING_MS : 0
  const age = ageOf(context, to.session)
  const after = (ms: number) => performance.now() + Math.max(SECOND_READ_MS, ms - age)
  const drawn = after(startingMs)
  const begun = after(Math.max(startingMs, FIRST_LINE_MS))
  for (;;) {
    try {
      const screen = await visibleScreen(to)
      if (await check(screen)) return
      const isBlank = screen.trim() === ''
      if (performance.now() < (isBlank ? begun : drawn)) await sleep(SECOND_READ_MS)
      else if (!isBlank || ageOf(context, to.session) >= 2 * startingMs) return
      else throw notDrawn(to.session.id)
    } catch (error) {
      const mayPass = isAgentAsks(error) && error.details.screen === 'text'
      if (!mayPass || performance.now() >= deadline) throw error
      await sleep(AGREE_POLL_MS)
    }
  }
}

/** Of its current start. A clock that was set back counts as just started. */
function ageOf({ clock }: ManagerContext, { restoredAt, createdAt }: Session): number {
  return Math.max(0, clock.now().getTime() - (restoredAt ?? createdAt).getTime())
}

/** Text sent to a terminal before its program reads it would be lost. */
function notDrawn(sessionId: string): AoError {
  const why = 'it is still starting: its screen shows nothing yet'
  return new AoError('AGENT_ASKS', `${sessionId} takes no message now: ${why}`, {
    hint: `See what it does with: ao session attach ${sessionId}`,
    details: { sessionId, why, screen: 'unknown' },
  })
}

/** Only what is visible: scrolled-away text may look like an open dialog. */
export async function visibleScreen({ session, runtime }: Recipient, how: { styled?: boolean } = {}): Promise<string> {
  const handle = session.runtimeHandle!
  const styled = await runtime.getStyledScreen?.(handle)
  if (styled === undefined) return runtime.getOutput(handle, DIALOG_LINES)
  return how.styled ? styled : styled.replaceAll(SGR, '')
}

export function agentOf(context: ManagerContext, session: Session): Promise<Agent | null> {
  return agentWhereItRuns(context.registry, session)
}

export function readScreen(agent: Agent | null, screen: string): ScreenInput {
  if (agent?.readScreenInput) return agent.readScreenInput(screen)
  const asks = agent?.detectActivity(screen) === 'waiting_input'
  return asks ? { takes: 'keys', dialog: null } : { takes: 'unknown' }
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
  return new AoError('AGENT_ASKS', `${sessionId} takes no message now: ${entry.why}`, {
    hint: `Answer it with: ao session approve ${sessionId}, or: ao session deny ${sessionId}`,
    details: { sessionId, why: entry.why, screen: input.takes },
  })
}

export function isAgentAsks(error: unknown): error is AoError {
  return error instanceof AoError && error.code === 'AGENT_ASKS'
}
