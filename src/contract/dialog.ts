// A question on an agent's screen that takes keys instead of text. Text typed into it is lost, and Enter chooses an option.
import type { PermissionDecision } from './permission.ts'

export interface ScreenDialog {
  /** The question and its subject, in the agent's own words, line by line. */
  title: string
  /** What is above it on the screen, where nothing proves that it does not belong to the question. */
  above?: string
  /** Its text begins at the first line that was read: on a full screen, more of it may have scrolled away. */
  reachesTop?: true
  /** The agent itself shows only a part. */
  cut?: true
  /** In the order in which the agent shows them. */
  choices: DialogChoice[]
  /** It is answered by a line of text rather than by a key: a person may type `y`. */
  takesLine?: true
}

export interface DialogChoice {
  label: string
  /** What it means; null when the label does not say. */
  decision: PermissionDecision | null
  /** The keys that choose exactly this one, step by step until the dialog is gone. null: no known keys choose it. */
  keys: readonly string[] | null
  /** Enter would choose this one. Absent: the screen does not show it. */
  marked?: boolean
}

/** What the screen accepts now. */
export type ScreenInput =
  /** An input line: typed text arrives as a message. */
  | { takes: 'text' }
  /** A dialog. null: it waits for an answer, but its options are unknown. */
  | { takes: 'keys'; dialog: ScreenDialog | null }
  /** No input line and no known dialog: nothing may be typed. `shows`: what it is instead, such as "its command palette". */
  | { takes: 'unknown'; shows?: string }
