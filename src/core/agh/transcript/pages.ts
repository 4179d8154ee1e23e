// Parts of a long conversation: its end first, what is before it page by page, and where words occur in the rest. Pure.
import type { TranscriptMessage } from '../../../contract/agh/transcript.ts'

export interface TranscriptPart {
  /** In order. */
  messages: TranscriptMessage[]
  /** Messages with a smaller sequence are not in this part or any later one; null: there are none. */
  older: number | null
}

/** Of the parts that a page asks for. */
const PART_MESSAGES = 300
/** More would be a whole conversation. */
const MOST_MESSAGES = 10_000
const MOST_FOUND = 1_000

/** The end of a conversation, with the newest plan and usage, which are shown wherever they are. */
export function lastPart(all: readonly TranscriptMessage[], limit = PART_MESSAGES): TranscriptPart {
  const start = Math.max(0, all.length - limit)
  const head = (['plan', 'usage'] as const).flatMap((role) => {
    const index = all.findLastIndex((one) => one.role === role)
    return index === -1 || index >= start ? [] : [all[index]!]
  })
  return {
    messages: [...head.sort((a, b) => a.sequence - b.sequence), ...all.slice(start)],
    older: olderThan(all, start),
  }
}

/** What comes before this sequence: the newest of it, or everything from another sequence on. */
export function partBefore(
  all: readonly TranscriptMessage[],
  { before, from, limit = PART_MESSAGES }: { before: number; from?: number | undefined; limit?: number },
): TranscriptPart {
  const end = indexOf(all, before)
  const first = from === undefined ? end - limit : Math.min(indexOf(all, from), end - limit)
  const start = Math.max(0, first, end - MOST_MESSAGES)
  return { messages: all.slice(start, end), older: olderThan(all, start) }
}

/** Sequences of the messages before this one that contain all of the words, the newest of them, in order. */
export function findBefore(all: readonly TranscriptMessage[], query: string, before: number): number[] {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const found: number[] = []
  for (let index = indexOf(all, before) - 1; index >= 0 && found.length < MOST_FOUND; index -= 1)
    if (hasTerms([all[index]!], terms)) found.push(all[index]!.sequence)
  return found.reverse()
}

export function termsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean)
}

/** All of the words occur in one of these messages or in several. Plans and usage are not searched. */
export function hasTerms(messages: readonly TranscriptMessage[], terms: readonly string[]): boolean {
  const text = messages
    .filter(({ role }) => role !== 'plan' && role !== 'usage')
    .map((one) => (one.role === 'tool' ? `${one.text}\n${one.output}` : one.text))
    .join('\n')
    .toLowerCase()
  return terms.every((word) => text.includes(word))
}

/** Of the first message with this sequence or a later one. Messages are in the order of their sequences. */
function indexOf(all: readonly TranscriptMessage[], sequence: number): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (all[middle]!.sequence < sequence) low = middle + 1
    else high = middle
  }
  return low
}

function olderThan(all: readonly TranscriptMessage[], start: number): number | null {
  return start === 0 ? null : all[start]!.sequence
}
