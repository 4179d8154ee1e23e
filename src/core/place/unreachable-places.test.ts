import { expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { Session, UnknownAgent } from '../../contract/session.ts'
import { unknownHeadline, unknownText, unreachableNotice, unreachablePlaces } from './unreachable-places.ts'

const NOW = new Date('2026-03-04T12:00:00.000Z')
const at = (minutesAgo: number) => new Date(NOW.getTime() - minutesAgo * 60_000)

function session(id: string, unknown: Partial<UnknownAgent> | null, more: Partial<Session> = {}): Session {
  const lost = { place: 'box', why: 'box cannot be reached: timed out', since: at(2), unreachable: true, ...unknown }
  const agentInfo = { summary: null, agentSessionId: null, ...(unknown && { unknown: lost }) }
  return sampleSession({ id, activity: null, agentInfo, ...more })
}

it('one line for each place, with the sessions that cannot be reached and the earliest loss', () => {
  const lost = unreachablePlaces([
    session('app-1', {}),
    session('app-2', { since: at(3) }),
    session('app-3', { place: 'cage', why: 'cage cannot be reached: gone' }),
    session('app-4', null),
    session('app-5', { unreachable: false, why: 'its disk is full' }),
    session('app-6', {}, { status: 'killed' }),
  ])
  expect(lost.map(({ place, sessions, since }) => [place, sessions, since])).toEqual([
    ['box', ['app-1', 'app-2'], at(3)],
    ['cage', ['app-3'], at(2)],
  ])
  expect(lost.map(unreachableNotice)).toEqual([
    'the place box cannot be reached, so what 2 agents there are doing is unknown (app-1, app-2): timed out',
    'the place cage cannot be reached, so what 1 agent there is doing is unknown (app-3): gone',
  ])
})

it('the words for a table and for the headline', () => {
  const lost = { place: 'box', why: 'x', since: at(2), unreachable: true }
  expect(unknownText(lost, NOW)).toBe('unreachable 2m')
  expect(unknownHeadline(lost, NOW)).toBe('activity unknown: box has been unreachable for 2m')
  expect(unknownText({ ...lost, unreachable: false }, NOW)).toBe('unknown')
  expect(unknownHeadline({ ...lost, since: null }, NOW)).toBe('activity unknown')
})
