// Event logs of other versions, and damaged ones: whatever a row contains, every reader gets through it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  contentOf,
  EVENT_TYPES,
  type EventRow,
  type EventType,
  eventJson,
  parseSessionEvent,
  toSessionEvent,
} from '../../../contract/agh/events.ts'
import { EMPTY_DIGEST, foldDigest } from './digest.ts'
import { renderMessages } from './render-transcript.ts'
import { buildTranscript } from './transcript.ts'
import { createUiStream, toUiParts } from './ui-stream.ts'

const row = (type: string, content: unknown, sequence = 1): EventRow => ({
  sequence,
  turn_id: 't1',
  type: type as EventType,
  timestamp: '2026-01-01T00:00:00.000Z',
  content: JSON.stringify(content),
})

function readEverywhere(rows: readonly EventRow[]): void {
  renderMessages(buildTranscript(rows))
  rows.reduce(foldDigest, EMPTY_DIGEST)
  const stream = createUiStream()
  for (const one of rows) toUiParts(stream, toSessionEvent('s', one))
}

describe('an event of a history', () => {
  it('of a type that this version does not know passes through as it is', () => {
    const unknown = row('tea_break', { minutes: 5 })
    expect(toSessionEvent('s', unknown)).toMatchObject({ type: 'tea_break', content: { minutes: 5 } })
    expect(buildTranscript([unknown])).toEqual([])
    readEverywhere([unknown])
  })

  it('has what its type promises, even when the stored content lacks it', () => {
    expect(toSessionEvent('s', row('error', {})).content).toEqual({ error: 'the turn failed', failure: null })
    expect(contentOf('user_message', row('user_message', {}))).toEqual({ text: '', source: 'user' })
    expect(toSessionEvent('s', row('done', null)).content).toMatchObject({ stop_reason: null, usage: null })
  })

  it('is the same, read from the file or from the text that is sent', () => {
    const stored = row('user_message', { source: 'task', text: 'hello', later: 1 })
    expect(parseSessionEvent(eventJson('s', stored))).toEqual(toSessionEvent('s', stored))
    expect(JSON.stringify(toSessionEvent('s', stored))).toBe(eventJson('s', stored))
  })

  it('stops no reader, whatever it holds', () => {
    const value = fc.oneof(
      fc.constantFrom(null, [], 'text', 1),
      fc.dictionary(
        fc.constantFrom(
          'content',
          'toolCallId',
          'entries',
          'cost',
          'rawInput',
          'title',
          'tool_call',
          'input',
          'decided_by',
          'x',
        ),
        fc.oneof(
          fc.jsonValue(),
          fc.constantFrom('expired', { toString: 1 }, { rawInput: { command: 'ls', args: [1] }, content: [null] }),
        ),
      ),
    )
    const type = fc.oneof(fc.constantFrom<string>(...EVENT_TYPES), fc.constantFrom('constructor', 'tea_break'))
    fc.assert(
      fc.property(fc.array(fc.tuple(type, value), { maxLength: 8 }), (drafts) => {
        readEverywhere(drafts.map(([name, content], index) => row(name, content, index + 1)))
      }),
    )
  })
})
