import { describe, expect, it } from 'vitest'
import type { TranscriptMessage } from '../../../src/contract/agh/transcript.ts'
import { type HistoryEvent, mergeHistory, mergeTranscript } from './session-feed.ts'

const event = (seq: number) => ({ seq }) as HistoryEvent
const seqs = (events: readonly HistoryEvent[]) => events.map(({ seq }) => seq)
const message = (sequence: number, last = sequence, text = '') =>
  ({ id: `m${sequence}`, sequence, last_sequence: last, text }) as TranscriptMessage

describe('mergeHistory', () => {
  it.each([
    [[], [1, 2], [1, 2]],
    [[1, 2], [3], [1, 2, 3]],
    [
      [1, 2],
      [1, 2, 3],
      [1, 2, 3],
    ],
    [
      [1, 2, 5],
      [3, 4],
      [1, 2, 3, 4, 5],
    ],
    [[1, 2], [], [1, 2]],
  ])('%j and %j give %j', (existing, more, all) => {
    expect(seqs(mergeHistory(existing.map(event), more.map(event)))).toEqual(all)
  })

  it('stays the same object when nothing is new', () => {
    const existing = [event(1), event(2)]
    expect(mergeHistory(existing, [event(1)])).toBe(existing)
    expect(mergeHistory(existing, [])).toBe(existing)
  })
})

describe('mergeTranscript', () => {
  it('lets a message grow in its place', () => {
    const merged = mergeTranscript([message(1), message(2)], [message(1, 5, 'longer'), message(3)])
    expect(merged.map(({ id, text }) => [id, text])).toEqual([
      ['m1', 'longer'],
      ['m2', ''],
      ['m3', ''],
    ])
  })

  it('does not take an older state for a newer one', () => {
    expect(mergeTranscript([message(1, 5, 'new')], [message(1, 3, 'old')])[0]).toMatchObject({ text: 'new' })
  })

  it('orders by the first event, however they came', () => {
    expect(mergeTranscript([message(4)], [message(2), message(3)]).map(({ sequence }) => sequence)).toEqual([2, 3, 4])
  })
})
