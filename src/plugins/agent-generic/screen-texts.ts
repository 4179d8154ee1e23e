// What the configuration knows about a program's screen: the words that it shows while it works, and while it waits. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'
import { matchesText } from '../agent-files/screen/own-dialogs.ts'

export interface ScreenTexts {
  /** A spinner's words, such as `Thinking*`. */
  working?: string[] | undefined
  /** Of the line in which it takes a message. */
  ready?: string[] | undefined
}

/** Older text stands further up. */
const LINES = 12

const shows = (terminalText: string, texts: readonly string[]) =>
  terminalText
    .trimEnd()
    .split('\n')
    .slice(-LINES)
    .some((line) => texts.some((one) => matchesText(one, line)))

/** `known`: what the words that all programs have in common say; a question wins over everything. */
export function stateByTexts(
  terminalText: string,
  detected: ActivityState | null,
  { working = [], ready = [] }: ScreenTexts,
): ActivityState | null {
  if (detected === 'waiting_input') return detected
  if (shows(terminalText, working)) return 'active'
  if (detected !== null) return detected
  return shows(terminalText, ready) ? 'ready' : null
}

/** The configuration knows the line in which it takes a message. */
export function withReadyTexts(terminalText: string, input: ScreenInput, { ready = [] }: ScreenTexts): ScreenInput {
  return input.takes === 'unknown' && shows(terminalText, ready) ? { takes: 'text' } : input
}
