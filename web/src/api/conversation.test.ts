import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TranscriptMessage } from '../../../src/contract/agh/transcript.ts'
import { lastPart, partBefore } from '../../../src/core/agh/transcript/pages.ts'
import { type Conversation, takeMessages, takePart } from './session-feed.ts'

const message = (sequence: number) =>
  ({
    id: `m${sequence}`,
    sequence,
    last_sequence: sequence,
    role: 'assistant',
    text: '',
  }) as unknown as TranscriptMessage

type Step = { do: 'say' } | { do: 'grow'; which: number } | { do: 'page'; isAnswered: boolean } | { do: 'reconnect' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ do: 'say' as const }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('grow' as const), which: fc.nat(30) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('page' as const), isAnswered: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: 'reconnect' as const }) },
)

describe('a page that loads a conversation from its end', () => {
  it('has every message once, in order and as it is now, whatever is said while it loads', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.array(step, { maxLength: 40 }), (count, steps) => {
        let last = 0
        const all: TranscriptMessage[] = []
        const say = () => all.push(message(++last))
        for (let n = 0; n < count; n += 1) say()
        const copy = (messages: readonly TranscriptMessage[]) => structuredClone([...messages])
        const first = lastPart(copy(all), 4)
        let state: Conversation = { transcript: first.messages, older: first.older, early: [] }
        /** What the stream has not brought yet. */
        let seen = last
        let waiting: { before: number; page: ReturnType<typeof partBefore> } | null = null
        const hear = () => {
          const missed = all.filter((one) => one.last_sequence > seen)
          state = takeMessages(state, copy(missed))
          seen = last
        }
        for (const one of steps) {
          if (one.do === 'say') say()
          if (one.do === 'grow' && all.length > 0) {
            const grown = all[one.which % all.length]!
            grown.text += '+'
            grown.last_sequence = ++last
          }
          if (one.do === 'reconnect' || one.do === 'say') hear()
          if (one.do !== 'page') continue
          if (waiting !== null && one.isAnswered) {
            if (waiting.before === state.older) state = takePart(state, waiting.page)
            waiting = null
          }
          if (waiting === null && state.older !== null)
            waiting = { before: state.older, page: partBefore(copy(all), { before: state.older, limit: 3 }) }
        }
        hear()
        while (state.older !== null) state = takePart(state, partBefore(copy(all), { before: state.older, limit: 3 }))
        expect(state).toEqual({ transcript: all, older: null, early: [] })
      }),
      { numRuns: 300 },
    )
  })
})
