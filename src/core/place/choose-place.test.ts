import { describe, expect, it } from 'vitest'
import { readRuntimeName, runtimeInPlace } from '../../contract/ids.ts'
import type { SessionRecord } from '../../contract/record.ts'
import { choosePlace, type PlaceRoom, takesRoom } from './choose-place.ts'
import { travellingVariables } from './travelling-variables.ts'

const room = (name: string, more: Partial<PlaceRoom> = {}): PlaceRoom => ({
  name,
  maxSessions: undefined,
  sessions: 0,
  draining: false,
  ...more,
})

describe('the place of the next session', () => {
  it.each([
    ['the first', [room('a'), room('b')], 'a'],
    ['one without a limit, however many are there', [room('a', { sessions: 99 })], 'a'],
    ['the next when the first is full', [room('a', { maxSessions: 2, sessions: 2 }), room('b')], 'b'],
    ['the last free seat', [room('a', { maxSessions: 2, sessions: 1 })], 'a'],
    ['the next when the first is drained', [room('a', { draining: true }), room('b')], 'b'],
  ])('is %s', (_what, places, expected) => expect(choosePlace(places).place).toBe(expected))

  it('is none when all are full, and says why for each', () => {
    const { place, why } = choosePlace([room('a', { maxSessions: 1, sessions: 3 }), room('b', { draining: true })])
    expect(place).toBeNull()
    expect(why).toBe('a: 3 of 1 sessions are there; b: it is being drained')
  })
})

describe('a session takes room in a place', () => {
  it.each([
    ['while it is there', { place: 'a' }, true],
    ['not after its end', { place: 'a', endedAs: 'killed' }, false],
    ['not in another place', { place: 'b' }, false],
    [
      'as soon as a restore says that it goes there',
      { endedAs: 'killed', operation: 'restore', operationData: { place: 'a' } },
      true,
    ],
    [
      'not by a restore that goes elsewhere',
      { place: 'a', endedAs: 'killed', operation: 'restore', operationData: { place: 'b' } },
      false,
    ],
  ] as const)('%s', (_when, record, expected) => expect(takesRoom(record as SessionRecord, 'a')).toBe(expected))
})

describe('the runtime of a session in a place', () => {
  it.each([
    ['cage', false, 'cage'],
    ['cage', true, 'acp@cage'],
  ])('of %s, over the protocol %s, is %s', (place, overProtocol, name) => {
    expect(runtimeInPlace(place, overProtocol)).toBe(name)
    expect(readRuntimeName(name)).toEqual({ place, overProtocol })
  })
})

describe('the variables that go along', () => {
  const all = {
    PATH: '/home/me/bin',
    HOME: '/home/me',
    GH_TOKEN: 'forge',
    ANTHROPIC_API_KEY: 'model',
    OPENAI_BASE_URL: 'x',
    NPM_TOKEN: 'npm',
    AO_SESSION: 'app-1',
    AO_DATA_DIR: '/home/me/.agent-orchestrator',
    SSH_AUTH_SOCK: '/tmp/agent',
  }

  it('are the keys of models and the session, nothing of home', () => {
    const sent = travellingVariables(all, {})
    expect(Object.keys(sent).sort()).toEqual(['ANTHROPIC_API_KEY', 'AO_SESSION', 'OPENAI_BASE_URL'])
  })

  it('are also those that the place names and the agent is configured with, but never a PATH', () => {
    const sent = travellingVariables(all, { named: ['NPM_*'], configured: { DEBUG: '1', PATH: '/evil' } })
    expect(sent).toMatchObject({ NPM_TOKEN: 'npm', DEBUG: '1' })
    expect(sent.PATH).toBeUndefined()
    expect(sent.GH_TOKEN).toBeUndefined()
  })
})
