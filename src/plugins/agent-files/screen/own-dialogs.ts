// Dialogs described in the configuration, for programs whose questions are otherwise unknown: the text by which they are
// recognized, and the keys that answer them. Pure.
import * as z from 'zod/mini'
import type { DialogChoice, ScreenDialog } from '../../../contract/dialog.ts'
import { lineText } from './dialog-text.ts'

const NAMED_KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  space: ' ',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
}
const KEY = new RegExp(String.raw`^(?:[\x21-\x7e]|${Object.keys(NAMED_KEYS).join('|')})$`)

const keys = z
  .array(z.string().check(z.regex(KEY, `must be one character, or one of ${Object.keys(NAMED_KEYS).join(', ')}`)))
  .check(z.minLength(1, 'needs at least one key'), z.maxLength(10, 'may have 10 keys at most'))

export const ownDialogSchema = z.strictObject({
  question: z
    .string()
    .check(z.regex(/[^\s*]/, 'must name words of the question'), z.maxLength(200, 'may have 200 characters at most')),
  approve: z.optional(keys),
  deny: z.optional(keys),
})

export type OwnDialog = z.infer<typeof ownDialogSchema>

/** `candidates`: the lines of the screen that can contain a question, by their index. */
export function readOwnDialog(
  lines: readonly string[],
  candidates: readonly number[],
  dialogs: readonly OwnDialog[],
): ScreenDialog | null {
  for (const at of candidates) {
    const found = dialogs.find(({ question }) => matchesText(question, lines[at]!))
    if (found) return { ...lineText(lines, at), choices: choicesOf(found) }
  }
  return null
}

function choicesOf({ approve, deny }: OwnDialog): DialogChoice[] {
  const choice = (label: string, decision: DialogChoice['decision'], names: string[]): DialogChoice => ({
    label,
    decision,
    keys: names.map((name) => NAMED_KEYS[name] ?? name),
  })
  return [
    ...(approve ? [choice('Yes', 'allow-once', approve)] : []),
    ...(deny ? [choice('No', 'reject-once', deny)] : []),
  ]
}

/** `*` stands for anything. Each part is sought once, after the one before: no pattern is slow on any screen. */
export function matchesText(question: string, line: string): boolean {
  const text = line.toLowerCase()
  let from = 0
  for (const part of question.toLowerCase().split('*')) {
    const at = text.indexOf(part.trim(), from)
    if (at < 0) return false
    from = at + part.trim().length
  }
  return true
}
