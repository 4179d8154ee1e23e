import { describe, expect, it } from 'vitest'
import { commentsMessage } from './messages.ts'
import type { PrView, RemarkView } from './pr-view.ts'

const PR = { number: 7, headSha: 'abc', url: 'https://x/7' } as PrView
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
})
