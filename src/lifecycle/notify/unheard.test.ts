import { describe, expect, it } from 'vitest'
import { describeUnheard, notifierProblem } from './unheard.ts'

const defaults = { runtime: 'tmux', agent: 'demo', workspace: 'worktree' }
const FAILS = { status: 'error', reason: '403' }
const OK = { status: 'ok' }

describe('describeUnheard', () => {
  it.each([
    ['nothing was sent yet', {}, {}, null],
    ['the only notifier fails', {}, { 'notifier-desktop': FAILS }, 'urgent or action: desktop (403)'],
    ['one of two works', { notifiers: ['a', 'b'] }, { 'notifier-a': FAILS, 'notifier-b': OK }, null],
    ['one of two has not been used', { notifiers: ['a', 'b'] }, { 'notifier-a': FAILS }, null],
    ['both fail', { notifiers: ['a', 'b'] }, { 'notifier-a': FAILS, 'notifier-b': FAILS }, 'a (403), b (403)'],
    ['a browser is told', {}, { 'notifier-desktop': FAILS, 'notifier-push': OK }, null],
    ['browsers are not told either', {}, { 'notifier-desktop': FAILS, 'notifier-push': FAILS }, 'desktop (403)'],
    ['nobody is to be told', { notifiers: [] }, { 'notifier-desktop': FAILS }, null],
  ])('%s', (_, given, health, output) => {
    const found = describeUnheard({ defaults: { ...defaults, ...given } } as never, health)
    if (output === null) expect(found).toBeNull()
    else expect(found).toContain(output)
  })

  it('is for each priority by itself', () => {
    const config = { defaults: { ...defaults, notifiers: ['a'] }, notificationRouting: { urgent: ['b'] } }
    expect(describeUnheard(config as never, { 'notifier-b': FAILS })).toBe(
      'No one receives notifications of priority urgent: b (403)',
    )
  })

  it('takes no inherited name for a notifier', () => {
    expect(notifierProblem({}, 'constructor')).toBeNull()
  })
})
