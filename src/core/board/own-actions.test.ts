import { expect, it } from 'vitest'
import { sampleCard } from '../../../test/support/sample-card.ts'
import { expandAction, ownActions } from './own-actions.ts'

const action = (...run: string[]) => ({ name: 'mine', key: 'D', run })

it.each<[string, string[], Partial<ReturnType<typeof sampleCard>>, string[] | string]>([
  [
    'the words of a session',
    ['deploy', '--to={branch}', '{session}', '{project}'],
    {},
    ['deploy', '--to=session/app-1', 'app-1', 'app'],
  ],
  ['text that a shell would read', ['echo', '{branch}'], { branch: '$(id); x' }, ['echo', '$(id); x']],
  ['no placeholder in what was inserted', ['echo', '{branch}'], { branch: '{session}' }, ['echo', '{session}']],
  ['no placeholder in the program', ['{branch}', 'x'], { branch: '/bin/sh' }, ['{branch}', 'x']],
  [
    'no option that an agent names',
    ['git', 'log', '{branch}'],
    { branch: '--output=x' },
    'mine would take --output=x for an option.',
  ],
  ['nothing for what is missing', ['open', '{pr}'], {}, 'app-1 has no pr.'],
  ['nothing for no program', [], {}, 'mine runs nothing.'],
])('an own action is given %s', (_what, run, card, expected) => {
  expect(expandAction(action(...run), sampleCard(card))).toEqual(expected)
})

it('one key is one action', () => {
  const found = ownActions({ a: { key: 'D', run: ['x'] }, b: { key: 'D', run: ['y'] }, c: { key: 'E', run: ['z'] } })
  expect(found.map(({ name }) => name)).toEqual(['a', 'c'])
})
