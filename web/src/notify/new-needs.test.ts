import { expect, it } from 'vitest'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { needsOf, newNeeds } from './new-needs.ts'

const card = (id: string, since: string | null, kind = 'question') =>
  ({
    id,
    column: since === null ? 'working' : 'needs_you',
    need: since === null ? null : { kind, since },
  }) as unknown as SessionCard

it('what somebody is notified of is new: not the first board, not the same need again, but another one', () => {
  const first = [card('a', '1'), card('b', null)]
  expect(newNeeds(null, first)).toEqual([])
  const cached = needsOf(first)
  expect(newNeeds(cached, [card('a', '1'), card('b', '2')]).map(({ id }) => id)).toEqual(['b'])
  expect(newNeeds(cached, [card('a', '3', 'permission')]).map(({ id }) => id)).toEqual(['a'])
  expect(newNeeds(cached, [card('a', null)])).toEqual([])
})
