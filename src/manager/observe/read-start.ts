// The facts about an agent that was started a moment ago, or that has recorded nothing: what its screen shows, and whether its
// records show the prompt that it was started with.
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { STARTING_MS, stateAtStart } from '../../core/status/starting.ts'
import type { ActivityReading, Agent, ReadOptions } from '../../slots/agent.ts'
import type { Runtime } from '../../slots/runtime.ts'
import { readPrompt } from '../../store/session/session-file.ts'
import type { ManagerContext } from '../context.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with one.
const SGR = /\u001b\[[0-9;:]*m/g

/** null: `reading` stands. Only for an agent that is alive, in a terminal, and draws an input line. */
export async function readStart(
  context: ManagerContext,
  { session, agent, runtime }: { session: Session; agent: Agent; runtime: Runtime },
  { reading, options }: { reading: ActivityReading | null; options: ReadOptions },
): Promise<ActivityReading | null> {
  const startedAt = session.restoredAt ?? session.createdAt
  const sinceStartMs = context.clock.now().getTime() - startedAt.getTime()
  const activity = reading?.state ?? null
  const isAtRest = activity === 'ready' || activity === 'idle'
  if (activity !== null && !(isAtRest && sinceStartMs < STARTING_MS)) return null
  if (!agent.drawsInputLate || !agent.readScreenInput || !runtime.getStyledScreen) return null
  const shown = await runtime.getStyledScreen(session.runtimeHandle!)
  const screen = shown === '' ? null : agent.readScreenInput(shown.replaceAll(SGR, '')).takes
  const awaitsPrompt = screen === 'text' && (await isPromptAwaited(session, agent, startedAt, options))
  const state = stateAtStart({ activity, screen, awaitsPrompt, sinceStartMs })
  return state && { ...state, timestamp: startedAt, watchScreen: true }
}

async function isPromptAwaited(
  session: Session,
  agent: Agent,
  startedAt: Date,
  options: ReadOptions,
): Promise<boolean> {
  if (recordOf(session).promptDelivered !== 'unconfirmed' || agent.promptDelivery !== 'inline') return false
  const text = readPrompt(options.stateDir)
  if (text === null) return false
  return (await agent.hasSeen?.(session, text, startedAt, options)) === false
}
