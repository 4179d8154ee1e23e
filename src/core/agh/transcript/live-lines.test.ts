import { describe, expect, it } from 'vitest'
import { type EventType, toSessionEvent } from '../../../contract/agh/events.ts'
import { createLiveLines } from './live-lines.ts'
import { describeDiff } from './render-transcript.ts'
import { emptyTranscript, foldEvent } from './transcript.ts'

/** Lines as they would appear, one list per event, and what is left at the end. */
function play(...events: Array<[EventType, Record<string, unknown>]>): string[][] {
  const transcript = emptyTranscript()
  const live = createLiveLines()
  const shown = events.map(([type, content], index) => {
    const row = { sequence: index + 1, turn_id: 't', type, timestamp: '', content: JSON.stringify(content) }
    const message = foldEvent(transcript, toSessionEvent('s', row))
    return message ? live.take(message) : []
  })
  return [...shown, live.flush()]
}
const say = (text: string): [EventType, Record<string, unknown>] => [
  'agent_message',
  { content: { type: 'text', text } },
]

describe('the live transcript', () => {
  it('shows whole lines as they come, and the rest when something else follows', () => {
    const tool: [EventType, Record<string, unknown>] = [
      'tool_call',
      { toolCallId: 'c', title: 'ls', status: 'pending' },
    ]
    expect(play(say('one\ntw'), say('o\nthree'), tool)).toEqual([['one'], ['two'], ['three', '* ls (pending)'], []])
  })

  it('continues a line that was shown unfinished', () => {
    const transcript = emptyTranscript()
    const live = createLiveLines()
    const at = (sequence: number, text: string) =>
      foldEvent(transcript, {
        sequence,
        session_id: 's',
        turn_id: 't',
        type: 'agent_message',
        timestamp: '',
        content: { content: { type: 'text', text } },
      })!
    expect([live.take(at(1, 'Hel')), live.flush(), live.take(at(2, 'lo\n'))]).toEqual([[], ['Hel'], ['lo']])
  })

  it('shows a tool when it begins and when it is over, a question and its answer', () => {
    const call = (status: string): [EventType, Record<string, unknown>] => [
      status === 'completed' ? 'tool_result' : 'tool_call',
      { toolCallId: 'c', title: 'Edit x', status },
    ]
    expect(play(call('pending'), call('in_progress'), call('completed'))).toEqual([
      ['* Edit x (pending)'],
      [],
      ['* Edit x (completed)'],
      [],
    ])
    const question = { request_id: 'perm-1', title: 'may I', options: [{ name: 'Yes' }, { name: 'No' }] }
    const request: [EventType, Record<string, unknown>] = ['permission', { ...question, decision: null }]
    const answered: [EventType, Record<string, unknown>] = [
      'permission',
      { request_id: 'perm-1', decision: 'allow-once', decided_by: 'user' },
    ]
    expect(play(request, answered)).toEqual([
      ['? may I [perm-1] waits: Yes / No'],
      ['? may I [perm-1] allow-once (user)'],
      [],
    ])
  })

  it('shows a plan once, and then what is done of it', () => {
    const plan = (...statuses: string[]): [EventType, Record<string, unknown>] => [
      'plan',
      { entries: statuses.map((status, index) => ({ content: `step ${index + 1}`, status })) },
    ]
    expect(play(plan('in_progress', 'pending'), plan('completed', 'in_progress'))).toEqual([
      ['plan:', '  [>] step 1', '  [ ] step 2'],
      ['  [x] step 1'],
      [],
    ])
  })
})

describe('a diff in short', () => {
  it.each([
    [null, 'a\nb\n', 'x +2 -0'],
    ['a\nb\n', 'a\nc\n', 'x +1 -1'],
    ['a\na\n', 'a\n', 'x +0 -1'],
  ])('from %j to %j', (old_text, new_text, expected) => {
    expect(describeDiff({ path: 'x', old_text, new_text })).toBe(expected)
  })
})
