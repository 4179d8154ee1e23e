import { describe, expect, it } from 'vitest'
import { samplePull } from '../../../test/support/sample-pull.ts'
import { commentsMessage } from './messages.ts'
import type { RemarkView } from './pull-news.ts'

const PR = samplePull()
const HAND_IN = { complete: 'open one', update: 'commit', request: 'pull request' }

function remark(more: Partial<RemarkView>): RemarkView {
  return { id: 'c1', author: 'ann', isBot: false, body: 'Say why', path: 'a.ts', line: 3, ...more }
}

const message = (...remarks: RemarkView[]) => commentsMessage(PR, remarks, HAND_IN)

describe('remarks as a message', () => {
  it('bring each thread once, with its position and the command that answers in it', () => {
    const text = message(
      remark({ id: 'c1', thread: 't1', startLine: 2 }),
      remark({ id: 'c2', thread: 't1', body: 'And this' }),
      remark({ id: 'c3', thread: 't2', path: null, line: null, body: 'On the whole fine' }),
    )
    expect(text).toMatch(/^A reviewer asks for changes on your pull request #7\./)
    expect(text).toContain('1. ann, a.ts:2-3:')
    expect(text).toContain('2. ann, on the whole:')
    expect(text).not.toContain('3. ')
    expect(text.match(/To answer: .*/g)).toEqual([
      'To answer: ao pr reply 7 t1 --body "…"',
      'To answer: ao pr reply 7 t2 --body "…"',
    ])
  })

  it('bring what was said before, and the agent its own words as such', () => {
    const earlier = [
      { author: 'ann', body: 'Say why' },
      { author: null, body: 'It is\nslow' },
    ]
    const text = message(remark({ id: 'c4', thread: 't1', body: 'How slow?', earlier }))
    expect(text).toMatch(/^A reviewer replied in a thread of the review of your pull request #7\./)
    expect(text).toContain('You wrote:\n> It is\n> slow')
    expect(text.indexOf('Say why')).toBeLessThan(text.indexOf('How slow?'))
  })

  it('name no command where the forge takes no answers, or a name could be more than a name', () => {
    for (const thread of [null, undefined, 't1; rm -rf ~', '--body-file=/etc/passwd', '$(id)', 'a\nb', ''])
      expect(message(remark({ thread }))).not.toContain('ao pr reply')
  })

  it('bring the end of a long thread, and the beginning of a long remark in it', () => {
    const earlier = Array.from({ length: 8 }, (_, index) => ({
      author: 'ann',
      body: `#${index} ${'x'.repeat(index === 7 ? 998 : 997)}`,
    }))
    const text = message(remark({ thread: 't1', earlier }))
    expect(text.match(/#\d/g)).toEqual(['#7', '#2', '#3', '#4', '#5', '#6', '#7'])
    expect(text.match(/x{997}( …)?$/gm)).toEqual([...Array(5).fill('x'.repeat(997)), `${'x'.repeat(997)} …`])
    expect(text).toMatch(/Before, in this thread:\n[\s\S]*\nNew:\n/)
    expect(message(remark({}))).not.toMatch(/Before|New:/)
  })

  it('say what a suggestion is, how to answer, and of how many threads they are', () => {
    const suggestion = '```suggestion\nconst a = 1\n```'
    expect(message(remark({ body: suggestion }))).toContain('marked `suggestion`')
    const reply = { thread: 't1', earlier: [{ author: 'ann', body: 'x' }] }
    const replies = message(remark(reply), remark({ ...reply, id: 'c2', thread: 't2', author: 'ken' }))
    expect(replies).toMatch(/^A reviewer replied in threads of/)
    expect(replies).toContain('Then answer in each thread')
    const plain = message(remark({ startLine: null }), remark({ id: 'c2', author: 'ken', line: null }))
    expect(plain).not.toMatch(/suggestion|Then answer/)
    expect(plain).toMatch(/1\. ann, a\.ts:3:\n[\s\S]*\n\n2\. ken, a\.ts:\n/)
    expect(message(remark({ thread: 't' }), remark({ id: 'c2', thread: 't', author: 'ken' }))).toContain(
      '1. ann, ken, ',
    )
  })
})
