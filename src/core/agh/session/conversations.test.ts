import { describe, expect, it } from 'vitest'
import {
  lacksConversation,
  MAX_CONVERSATIONS,
  readConversationPage,
  readForkAnswer,
  requireConversationMethod,
} from './conversations.ts'

const session = { id: 'sess-1', agent_name: 'claude' }
const owners = new Map([['of-another', 'sess-2']])

describe('conversations that an agent keeps', () => {
  it.each([
    [undefined, null],
    [['fork'], null],
    [[], 'does not offer session/fork'],
    [['list', 'close'], 'does not offer session/fork'],
  ] as const)('an agent that advertises %j is asked for a fork, or refused: %s', (can, refusal) => {
    const ask = () => requireConversationMethod(session, can, 'fork')
    if (refusal === null) expect(ask).not.toThrow()
    else expect(ask).toThrow(refusal)
  })

  it.each([
    [{ acp_session_id: 'a' }, null],
    [{ acp_session_id: 'a', conversation: 'deleting' }, null],
    [{ acp_session_id: null }, 'has not begun'],
    [{ acp_session_id: null, conversation: 'deleted' }, 'was deleted'],
  ])('%j lacks a conversation: %s', (meta, why) => {
    const lacks = lacksConversation(meta as Parameters<typeof lacksConversation>[0])
    if (why === null) expect(lacks).toBe(null)
    else expect(lacks).toContain(why)
  })

  it('a fork is the new id, and only a new one', () => {
    expect(readForkAnswer({ sessionId: 'new' }, 'parent', owners)).toBe('new')
  })

  it.each([
    ['the parent', { sessionId: 'parent' }, 'the conversation that was to be forked'],
    ['the conversation of another session', { sessionId: 'of-another' }, 'the conversation of session sess-2'],
    ['nothing', {}, 'without an id'],
    ['null', null, 'without an id'],
    ['a number', { sessionId: 7 }, 'without an id'],
    ['an empty id', { sessionId: '' }, 'without an id'],
    ['several lines', { sessionId: 'a\nb' }, 'without an id'],
    ['an endless id', { sessionId: 'x'.repeat(100_000) }, 'without an id'],
    ['a list', [{ sessionId: 'new' }], 'without an id'],
  ])('an agent that answers a fork with %s is not believed', (_what, answer, why) => {
    expect(() => readForkAnswer(answer, 'parent', owners)).toThrow(why)
  })

  it('reads of a list what it can, in bounds', () => {
    const whole = { sessionId: 'a', cwd: '/w', title: 'T', updatedAt: '2026-01-01' }
    const sessions = [whole, null, 7, { sessionId: {} }, { sessionId: 'b', cwd: 7, title: 'x'.repeat(10_000) }]
    const page = readConversationPage({ sessions, nextCursor: 'next' })
    expect(page.conversations).toEqual([
      { id: 'a', cwd: '/w', title: 'T', updated_at: '2026-01-01' },
      { id: 'b', cwd: null, title: 'x'.repeat(200), updated_at: null },
    ])
    expect(page.next).toBe('next')
    const many = Array.from({ length: 100_000 }, (_, index) => ({ sessionId: `s${index}` }))
    expect(readConversationPage({ sessions: many }).conversations).toHaveLength(MAX_CONVERSATIONS + 1)
  })

  it.each([[null], ['x'], [{}], [{ sessions: {} }]])('refuses %j as a list', (answer) => {
    expect(() => readConversationPage(answer)).toThrow('without a list')
  })
})
