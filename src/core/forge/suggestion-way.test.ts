import { describe, expect, it } from 'vitest'
import { chooseSuggestionWay, type SuggestionFacts } from './suggestion-way.ts'

const session = { id: 'app-1', status: 'review_pending', activity: 'ready', isBusy: false, place: null } as const
const facts: SuggestionFacts = { session, tip: 'a', head: 'a', obstacle: null }

describe('a suggestion becomes', () => {
  it.each<[string, SuggestionFacts, string]>([
    ['a commit of which a resting agent hears', facts, 'commit app-1'],
    ['a commit where no session is', { ...facts, session: null }, 'commit null'],
    ['a commit where the agent has ended', { ...facts, session: { ...session, activity: 'exited' } }, 'commit null'],
    [
      'a commit where the session has ended',
      { ...facts, session: { ...session, status: 'killed', activity: null } },
      'commit null',
    ],
    ['a message to an agent at work', { ...facts, session: { ...session, activity: 'active' } }, 'send app-1'],
    [
      'a message to one that asks something',
      { ...facts, session: { ...session, activity: 'waiting_input' } },
      'send app-1',
    ],
    ['a message to one of which nothing is known', { ...facts, session: { ...session, activity: null } }, 'send app-1'],
    ['a message during an operation', { ...facts, session: { ...session, isBusy: true } }, 'send app-1'],
    ['a message into a place', { ...facts, session: { ...session, place: 'cage' } }, 'send app-1'],
    ['a message where work is not committed', { ...facts, obstacle: 'a.ts is changed' }, 'send app-1'],
    ['a message where the branch has moved on', { ...facts, tip: 'b' }, 'send app-1'],
    ['nothing where nobody could do it', { ...facts, session: null, tip: null }, 'refuse'],
    ['nothing over somebody else\u2019s changes', { ...facts, session: null, obstacle: 'a.ts is changed' }, 'refuse'],
  ])('%s', (_, given, expected) => {
    const way = chooseSuggestionWay(given)
    const to = way.kind === 'commit' ? ` ${way.hearer}` : way.kind === 'send' ? ` ${way.to}` : ''
    expect(`${way.kind}${to}`).toBe(expected)
  })
})
