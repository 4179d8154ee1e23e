// What an agent is doing shortly after it was started: it has an input line before it has begun its task, and records of an earlier
// life. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'

export interface StartFacts {
  /** What its records or its screen say; null: nothing. */
  activity: ActivityState | null
  /** null: it could not be read. */
  screen: ScreenInput['takes'] | null
  /** It was started with a prompt that its records do not show yet. */
  awaitsPrompt: boolean
  sinceStartMs: number
}

/** OpenCode was seen to need more than a minute on a busy machine. */
export const STARTING_MS = 90_000

export type StartState = { state: 'waiting_input' | 'active'; evidence: string }

/** null: what was read stands. */
export function stateAtStart({ activity, screen, awaitsPrompt, sinceStartMs }: StartFacts): StartState | null {
  const saysNothing = activity === null
  const isAtRest = activity === 'ready' || activity === 'idle'
  if (screen === 'keys' && (saysNothing || isAtRest)) return { state: 'waiting_input', evidence: 'its screen asks' }
  if (sinceStartMs >= STARTING_MS || !(saysNothing || isAtRest)) return null
  if (screen === 'unknown') return { state: 'active', evidence: 'it is starting: its input line is not drawn yet' }
  if (awaitsPrompt && screen !== null)
    return { state: 'active', evidence: 'it was started with a prompt, which it has not begun' }
  return null
}
