// The history and the transcript of the displayed session, each event and message once, in order.
import type { TranscriptMessage } from '../../../src/contract/agh/transcript.ts'
import type { SessionDetail } from '../../../src/contract/dashboard/answers.ts'

export type HistoryEvent = SessionDetail['history'][number]

export interface SessionFeed {
  sessionId: string | null
  history: readonly HistoryEvent[]
  transcript: readonly TranscriptMessage[]
}

export const EMPTY_FEED: SessionFeed = { sessionId: null, history: [], transcript: [] }

/** By number: repeats are left out. */
export function mergeHistory(known: readonly HistoryEvent[], more: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const last = known.at(-1)?.seq ?? 0
  const fresh = more.filter((event) => event.seq > last)
  if (fresh.length === more.length || known.length === 0) return fresh.length === 0 ? known : [...known, ...fresh]
  const bySeq = new Map([...known, ...more].map((event) => [event.seq, event]))
  if (bySeq.size === known.length) return known
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}

/** By id: a message that has grown replaces its earlier version. */
export function mergeTranscript(
  known: readonly TranscriptMessage[],
  more: readonly TranscriptMessage[],
): readonly TranscriptMessage[] {
  if (more.length === 0) return known
  const at = new Map(known.map((message, index) => [message.id, index]))
  const next = [...known]
  for (const message of more) {
    const index = at.get(message.id)
    if (index === undefined) at.set(message.id, next.push(message) - 1)
    else if (next[index]!.last_sequence <= message.last_sequence) next[index] = message
  }
  return next.every((message, index) => index === 0 || next[index - 1]!.sequence <= message.sequence)
    ? next
    : next.sort((a, b) => a.sequence - b.sequence)
}
