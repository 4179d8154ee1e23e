// May a message be typed into an agent's terminal now? Only into an input line that was recognized: never into a dialog, nor
// into a screen that nobody understands. Pure.
import type { ScreenInput } from '../../contract/dialog.ts'
import type { ActivityState } from '../../contract/status.ts'

export interface EntryFacts {
  screen: ScreenInput
  /** What the agent's records say. null: nothing. */
  activity: ActivityState | null
  /** Those records say that it asks in text, at its input line: a message is the answer. */
  asksInWords: boolean
  /** Those records say that its turn is just ending, and takes no more messages. */
  isEnding: boolean
  /** The records are only an earlier reading of the screen. */
  recordsAreScreen: boolean
  /** declared: a person says that the message is the answer. plain: it is a bare yes or no of a person. */
  answer: Answer
}

export type Answer = 'declared' | 'plain' | null

const YES_OR_NO = /^(?:y|n|yes|no)$/i

/** A bare yes or no from a person answers a question. */
export function isPlainAnswer(text: string, source: string): boolean {
  return source === 'user' && YES_OR_NO.test(text.trim())
}

export type Entry = { may: true } | { may: false; why: string }

const FREE: Entry = { may: true }

export function decideEntry(facts: EntryFacts): Entry {
  const { screen, activity, asksInWords, isEnding, recordsAreScreen, answer } = facts
  const dialog = screen.takes === 'keys' ? screen.dialog : null
  if (dialog && !(dialog.takesLine && answer)) return { may: false, why: `${ASKS}: ${inOneLine(dialog.title)}` }
  if (answer === 'declared') return FREE
  if (screen.takes === 'unknown') return { may: false, why: noInputLine(screen.shows) }
  if (answer === 'plain') return FREE
  if (screen.takes === 'keys') return { may: false, why: ASKS }
  if (isEnding) return { may: false, why: 'its turn is just ending' }
  if (activity !== 'waiting_input' || asksInWords) return FREE
  // The current screen is newer than what was recorded about it.
  if (recordsAreScreen) return FREE
  return { may: false, why: RECORDS_ASK }
}

/** A mark or a frame before and after what is typed. */
const TYPED_LINE = /^([\s│┃|]*[>❯›»$%#]?\s*)(.*?)([\s│┃|]*)$/

/** The screen as it would be without this text, which was typed there: a text that reads like a question is none. */
export function withoutTyped(screen: string, text: string): string {
  const dense = (part: string) => part.replaceAll(/\s+/g, '')
  const own = dense(text)
  return screen
    .split('\n')
    .map((line) => {
      const [, before = '', body = '', after = ''] = TYPED_LINE.exec(line) ?? []
      return body !== '' && own.includes(dense(body)) ? `${before}${after}` : line
    })
    .join('\n')
}

const MAX_SHOWN = 200

/** The end of a title is the question itself; all of it is in `ao session show`. */
function inOneLine(title: string): string {
  const text = title.replace(/\s+/g, ' ').trim()
  return text.length > MAX_SHOWN ? `…${text.slice(-MAX_SHOWN)}` : text
}

export const ASKS = 'it waits for an answer'
const RECORDS_ASK = `its records say that ${ASKS}`

/** Why a message is held: the question goes first. */
export function isHeldByQuestion(why: string): boolean {
  return why.startsWith(ASKS) || why.startsWith(RECORDS_ASK)
}

const SCREEN = 'its screen shows '

function noInputLine(shows: string | undefined): string {
  return SCREEN + (shows === undefined ? 'no input line that ao recognizes' : `${shows} instead of its input line`)
}

/** Why a message is held: nothing was asked, there is only nowhere to type. */
export function isHeldByScreen(why: string): boolean {
  return why.startsWith(SCREEN)
}
