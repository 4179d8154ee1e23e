import { describe, expect, it } from 'vitest'
import type { TranscriptMessage } from '../../../contract/agh/transcript.ts'
import { findBefore, lastPart, partBefore } from './pages.ts'

const message = (sequence: number, role: string, text = `text ${sequence}`) =>
  ({ id: `m${sequence}`, sequence, last_sequence: sequence, role, text, output: '' }) as unknown as TranscriptMessage

const sequences = (messages: readonly TranscriptMessage[]) => messages.map(({ sequence }) => sequence)

describe('a conversation in parts', () => {
  const all = Array.from({ length: 50 }, (_, n) => message(2 * n + 1, n === 3 ? 'plan' : 'assistant'))

  it('begins with its end, and with the newest plan wherever it is', () => {
    const { messages, older } = lastPart(all, 5)
    expect(sequences(messages)).toEqual([7, 91, 93, 95, 97, 99])
    expect(older).toBe(91)
    expect(lastPart(all, 50).older).toBeNull()
    expect(lastPart([]).messages).toEqual([])
  })

  it('goes back to a message that is asked for, and no shorter than a page', () => {
    expect(sequences(partBefore(all, { before: 91, from: 85, limit: 2 }).messages)).toEqual([85, 87, 89])
    expect(sequences(partBefore(all, { before: 91, from: 90, limit: 2 }).messages)).toEqual([87, 89])
    expect(partBefore(all, { before: 1 })).toEqual({ messages: [], older: null })
  })

  it('says where words occur before what is here', () => {
    expect(findBefore(all, 'TEXT 1', 20)).toEqual([1, 11, 13, 15, 17, 19])
    expect(findBefore(all, ' ', 20)).toEqual([])
  })
})
