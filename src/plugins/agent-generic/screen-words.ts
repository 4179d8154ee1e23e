// What the configuration knows about a program's screen: the words that it shows while it works, and while it waits. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { matchesWords } from '../agent-files/screen/own-dialogs.ts'

export interface ScreenWords {
  /** A spinner's words, such as `Thinking*`. */
  working?: string[] | undefined
  /** Of the line in which it takes a message. */
  ready?: string[] | undefined
}

/** Older text stands further up. */
const LINES = 12

const shows = (terminalText: string, words: readonly string[]) =>
  terminalText
    .trimEnd()
    .split('\n')
    .slice(-LINES)
    .some((line) => words.some((one) => matchesWords(one, line)))

/** `known`: what the words that all programs have in common say; a question wins over everything. */
export function stateByWords(
  terminalText: string,
  known: ActivityState | null,
  { working = [], ready = [] }: ScreenWords,
): ActivityState | null {
  if (known === 'waiting_input') return known
  if (shows(terminalText, working)) return 'active'
  if (known !== null) return known
  return shows(terminalText, ready) ? 'ready' : null
}

/** The configuration knows the line in which it takes a message. */
export function withReadyWords(terminalText: string, input: ScreenInput, { ready = [] }: ScreenWords): ScreenInput {
  return input.takes === 'unknown' && shows(terminalText, ready) ? { takes: 'text' } : input
}
