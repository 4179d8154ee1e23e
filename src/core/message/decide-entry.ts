// May a message be typed into an agent's terminal now? Only where it arrives as a message: never into a dialog. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'

export interface EntryFacts {
  screen: ScreenInput
  /** What the agent's records say. null: nothing. */
  activity: ActivityState | null
  /** Those records say that it asks in text, at its input line: a message is the answer. */
  asksInWords: boolean
  /** The records are only an earlier reading of the screen. */
  recordsAreScreen: boolean
  /** A person declares the message to be the answer. */
  isAnswer: boolean
}

const YES_OR_NO = /^(?:y|n|yes|no)$/i

/** A bare yes or no from a person answers a question. */
export function isPlainAnswer(text: string, source: string): boolean {
  return source === 'user' && YES_OR_NO.test(text.trim())
}

export type Entry = { may: true } | { may: false; why: string }

const FREE: Entry = { may: true }

export function decideEntry(facts: EntryFacts): Entry {
  const { screen, activity, asksInWords, recordsAreScreen, isAnswer } = facts
  const dialog = screen.takes === 'keys' ? screen.dialog : null
  if (dialog && !(dialog.takesLine && isAnswer)) return { may: false, why: `it waits for an answer: ${dialog.title}` }
  if (isAnswer) return FREE
  if (screen.takes === 'keys') return { may: false, why: 'it waits for an answer' }
  if (activity !== 'waiting_input' || asksInWords) return FREE
  // The current screen is newer than what was recorded about it.
  if (recordsAreScreen && screen.takes === 'text') return FREE
  return { may: false, why: 'its records say that it waits for an answer' }
}
