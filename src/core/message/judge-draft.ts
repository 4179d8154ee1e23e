// Text that is in an agent's input line before a message is typed there: a person's draft, which a message must never be
// joined with, or an earlier message of ao, which some agents put back when they are interrupted. Pure.
import type { SessionEvent } from '../../contract/events.ts'
import { withoutInvisible, withPreface } from '../text/paste-text.ts'
import { lineForFile } from './message-file.ts'

/** A message that was typed and submitted. */
export interface EnteredMessage {
  messageId: string
  text: string
  source: string
  /** ISO 8601 */
  queuedAt: string
  /** The agent's records have shown it. */
  isSeen: boolean
}

/** Older ones are no longer put back. */
const MOST_ENTERED = 50

export function enteredMessages(events: readonly SessionEvent[]): EnteredMessage[] {
  const queued = new Map<string, EnteredMessage>()
  const entered = new Map<string, EnteredMessage>()
  for (const event of events) {
    if (event.type === 'message.queued') {
      const { messageId, text, source, at } = event
      queued.set(messageId, { messageId, text, source, queuedAt: at, isSeen: false })
    }
    if (event.type === 'message.edited') {
      const before = queued.get(event.messageId)
      if (before) queued.set(event.messageId, { ...before, text: event.text })
    }
    if (event.type !== 'message.handed_over' && event.type !== 'message.seen') continue
    const message = queued.get(event.messageId)
    if (message) entered.set(event.messageId, { ...message, isSeen: event.type === 'message.seen' })
  }
  return [...entered.values()].slice(-MOST_ENTERED)
}

/** The messages that the draft consists of, and of nothing else; null: somebody else has typed in it. */
export function ownMessagesIn(draft: string, entered: readonly EnteredMessage[]): EnteredMessage[] | null {
  let left = plain(draft)
  if (left === '') return []
  const found: EnteredMessage[] = []
  // As it was sent, or as it was entered to stay text.
  const forms = entered.flatMap((message) =>
    [message.text, withPreface(message.text), lineForFile(message.messageId, message.source)].map((form) => ({
      message,
      form: plain(form),
    })),
  )
  while (left !== '') {
    // The longest first: one message may begin like another.
    const fitting = forms
      .filter(({ message, form }) => plain(message.text) !== '' && left.startsWith(form))
      .sort((a, b) => b.form.length - a.form.length)[0]
    if (!fitting) return null
    found.push(fitting.message)
    left = left.slice(fitting.form.length)
  }
  return found
}

/** What agents show for a long text that was pasted. */
const FOLDED = /^\[past(?:ed|e)\b[^\]]*\]$/i
const SHORTEST_FOLDED = 150

/** Does an agent show a placeholder for this text? Not for a short line. */
export function isFolded(draft: string, text: string): boolean {
  return FOLDED.test(draft.trim()) && (text.length >= SHORTEST_FOLDED || text.includes('\n'))
}

/** The screen breaks lines where it likes. */
function plain(text: string): string {
  return withoutInvisible(text).replace(/\s+/g, '')
}

const DRAFT = 'its input line holds text already'
const MAX_SHOWN = 80

/** Why a message is held. */
export function heldByDraft(draft: string): string {
  const line = draft.replace(/\s+/g, ' ').trim()
  return `${DRAFT}: ${line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line}`
}

export function isHeldByDraft(why: string): boolean {
  return why.startsWith(DRAFT)
}
