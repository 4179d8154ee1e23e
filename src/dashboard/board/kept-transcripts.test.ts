import { afterEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../contract/agh/events.ts'
import { silentLog } from '../../lib/log.ts'
import { createKeptTranscripts, type KeptTranscripts } from './kept-transcripts.ts'

const spoken = (sequence: number): SessionEvent =>
  ({
    sequence,
    type: 'user_message',
    turn_id: `turn-${sequence}`,
    timestamp: '2026-01-01T00:00:00Z',
    content: { text: `message ${sequence}`, source: 'user' },
  }) as unknown as SessionEvent

let kept: KeptTranscripts
afterEach(() => kept.close())

/** Two stored events on a page each. `failing`: reading after this sequence fails, this many times. */
function open(failing: { after: number; times: number }) {
  let reads = 0
  kept = createKeptTranscripts({
    keyOf: (sessionId) => sessionId,
    async read(_sessionId, after) {
      reads += 1
      if (after === failing.after && failing.times-- > 0) throw new Error('the runtime does not answer')
      return after < 2 ? [spoken(after + 1)] : []
    },
    async *follow(_sessionId, { signal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    },
    mayContinue: () => true,
    log: silentLog,
  })
  return { reads: () => reads, texts: () => kept.use('app-1', ({ messages }) => messages.map(({ text }) => text)) }
}

describe('a conversation', () => {
  it('is read once for all who view it at the same time', async () => {
    const { texts, reads } = open({ after: -1, times: 0 })
    const [one, other] = await Promise.all([texts(), texts()])
    expect(one).toEqual(['message 1', 'message 2'])
    expect(other).toEqual(one)
    expect(reads()).toBe(3)
  })

  it.each([0, 1, 2])('that could not be read after event %s is read again by whoever asks next', async (after) => {
    const { texts } = open({ after, times: 1 })
    await expect(texts()).rejects.toThrow('the runtime does not answer')
    expect(await texts()).toEqual(['message 1', 'message 2'])
  })

  it('stays when only somebody who views it fails', async () => {
    const { texts, reads } = open({ after: -1, times: 0 })
    const failing = kept.use('app-1', () => {
      throw new Error('the page is gone')
    })
    await expect(failing).rejects.toThrow('the page is gone')
    await texts()
    expect(reads()).toBe(3)
  })
})
