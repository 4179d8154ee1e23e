// The history and the transcript of the displayed session, each event and message once, in order.
import type { TranscriptMessage } from '../../../src/contract/agh/transcript.ts'
import type { SessionDetail } from '../../../src/contract/dashboard/answers.ts'
import type { TranscriptPart } from '../../../src/core/agh/transcript/pages.ts'

export type HistoryEvent = SessionDetail['history'][number]

export interface SessionFeed {
  sessionId: string | null
  history: readonly HistoryEvent[]
  transcript: readonly TranscriptMessage[]
  /** Messages with a smaller sequence are not here yet; null: all of them are. */
  older: number | null
  /** Such messages that have grown, until those around them are here. */
  early: readonly TranscriptMessage[]
}

export const EMPTY_FEED: SessionFeed = { sessionId: null, history: [], transcript: [], older: null, early: [] }

/** By number: repeats are left out. */
export function mergeHistory(
  existing: readonly HistoryEvent[],
  more: readonly HistoryEvent[],
): readonly HistoryEvent[] {
  const last = existing.at(-1)?.seq ?? 0
  const fresh = more.filter((event) => event.seq > last)
  if (fresh.length === more.length || existing.length === 0)
    return fresh.length === 0 ? existing : [...existing, ...fresh]
  const bySeq = new Map([...existing, ...more].map((event) => [event.seq, event]))
  if (bySeq.size === existing.length) return existing
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}

export type Conversation = Pick<SessionFeed, 'transcript' | 'early' | 'older'>

/** What the stream brought. `older` undefined: what is not here has not changed. */
export function takeMessages(
  { transcript, early, older: existing }: Conversation,
  messages: readonly TranscriptMessage[],
  older: number | null = existing,
): Conversation {
  const [later, here] = split([...early, ...messages], older)
  return { older, transcript: mergeTranscript(transcript, here), early: mergeTranscript([], later) }
}

/** What was asked for because it was not here. */
export function takePart({ transcript, early }: Conversation, part: TranscriptPart): Conversation {
  const [later, here] = split(early, part.older)
  // What the stream said of them since the part was read is in `early`, and wins.
  return { older: part.older, transcript: mergeTranscript(transcript, [...part.messages, ...here]), early: later }
}

/** Those whose neighbours are not here wait for them; plans and usage are shown without neighbours. */
function split(
  messages: readonly TranscriptMessage[],
  older: number | null,
): [later: TranscriptMessage[], here: TranscriptMessage[]] {
  const isLater = ({ sequence, role }: TranscriptMessage) =>
    older !== null && sequence < older && role !== 'plan' && role !== 'usage'
  return [messages.filter(isLater), messages.filter((message) => !isLater(message))]
}

/** By id: a message that has grown replaces its earlier version. */
export function mergeTranscript(
  existing: readonly TranscriptMessage[],
  more: readonly TranscriptMessage[],
): readonly TranscriptMessage[] {
  if (more.length === 0) return existing
  const at = new Map(existing.map((message, index) => [message.id, index]))
  const next = [...existing]
  for (const message of more) {
    const index = at.get(message.id)
    if (index === undefined) at.set(message.id, next.push(message) - 1)
    else if (next[index]!.last_sequence <= message.last_sequence) next[index] = message
  }
  return next.every((message, index) => index === 0 || next[index - 1]!.sequence <= message.sequence)
    ? next
    : next.sort((a, b) => a.sequence - b.sequence)
}
