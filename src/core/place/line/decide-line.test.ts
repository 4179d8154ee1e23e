// The rules that hostile hosts and odd orders try; what they amount to together is in test/rehearsal/place-simulation.test.ts.
import { expect, it } from 'vitest'
import { decideLine, retryDelay } from './decide-line.ts'
import { inHomesTime } from './homes-time.ts'
import { judgeLine } from './judge-line.ts'
import { type LineMemory, newLine } from './line-state.ts'

const memory: LineMemory = {
  connected: true,
  since: 0,
  why: '',
  orphaned: false,
  read: 5,
  reading: null,
  mirror: null,
}
const following = { ...newLine(), phase: 'following' as const }
const ask = (n: number) => ({ type: 'ask' as const, n, id: 'a', tool: 'gh' as const, argv: [] })

it('a command is noted before it is carried out, and one with an old number is nothing new', () => {
  expect(decideLine(following, memory, { type: 'fact', fact: ask(6) }, 0)).toMatchObject({
    keep: { read: 6 },
    acts: [{ act: 'answer' }],
  })
  expect(decideLine(following, memory, { type: 'fact', fact: ask(5) }, 0)).toMatchObject({ keep: null, acts: [] })
})

it('nothing that arrives after the line was lost is taken', () => {
  const waiting = { ...following, phase: 'waiting' as const }
  expect(decideLine(waiting, memory, { type: 'fact', fact: ask(6) }, 0)).toMatchObject({ keep: null, acts: [] })
  expect(decideLine(waiting, memory, { type: 'probed', place: { state: 'gone' } }, 0).acts).toEqual([])
})

it('attempts become rarer', () => {
  expect([0, 1, 4, 16, 17, 1_000].map(retryDelay)).toEqual([200, 500, 5_000, 5_000, 15_000, 15_000])
})

it.each([null, 7, 'x', { activity: [] }, { activity: { state: 1 } }])(
  'a reading that makes no sense is none: %j',
  (value) => {
    expect(inHomesTime(value, 0).activity).toBeNull()
  },
)

it('times of a place are those of home, and impossible ones are left out', () => {
  const at = (timestamp: string, offset: number) => inHomesTime({ activity: { state: 'active', timestamp } }, offset)
  expect(at('2026-01-01T00:00:00.000Z', -1_000).activity?.timestamp).toBe('2025-12-31T23:59:59.000Z')
  expect(at('2026-01-01T00:00:00.000Z', 1e300).activity).toEqual({ state: 'active' })
  expect(at('yesterday', Number.NaN).activity).toEqual({ state: 'active' })
})

it('alive and dead are claims with a proof', () => {
  const facts = { place: 'box', hasSpec: true, exit: null, isRunning: true, memory }
  const state = (change: Partial<typeof facts> | object) => judgeLine({ ...facts, ...change }, 0).state
  expect(state({})).toBe('alive')
  expect(state({ isRunning: false })).toBe('unknown')
  expect(state({ memory: null })).toBe('unknown')
  expect(state({ memory: { ...memory, connected: false } })).toBe('unknown')
  expect(state({ memory: { ...memory, trouble: 'its disk is full' } })).toBe('unknown')
  expect(state({ exit: { exitCode: 0, signal: null }, isRunning: false })).toBe('dead')
})

const box = { place: 'box', hasSpec: true, exit: null, isRunning: true }
const lost = { ...memory, connected: false, since: 1_000, why: 'Connection timed out' }

it.each([
  ['a connection that was just lost may be back in a moment', lost, 10_999, undefined],
  ['after ten seconds it is unreachable', lost, 11_000, { since: new Date(1_000), unreachable: true }],
  ['silence counts from the last answer', { ...memory, silentSince: 500 }, 10_500, { since: new Date(500) }],
  ['an answer ends it', { ...memory, silentSince: null }, 99_000, undefined],
  ['a place that cannot record an end', { ...memory, trouble: 'its disk is full' }, 0, { unreachable: false }],
  ['an agent without its host', { ...memory, orphaned: true }, 0, { unreachable: false }],
])('what an agent was last seen doing holds only while its place answers: %s', (_what, facts, now, agent) => {
  const verdict = judgeLine({ ...box, memory: facts }, now)
  expect(verdict.state === 'unknown' ? verdict.agent : undefined).toEqual(
    agent && expect.objectContaining({ place: 'box', ...agent }),
  )
})

it('nothing is known of an agent whose line is not running', () => {
  expect(judgeLine({ ...box, isRunning: false, memory }, 0)).toMatchObject({ agent: { since: null } })
})

it('a line that fell silent was lost when the place last answered', () => {
  const silent = decideLine(following, memory, { type: 'silence', since: 700 }, 11_000)
  expect(silent.keep).toEqual({ silentSince: 700 })
  const after = { ...memory, ...silent.keep }
  expect(decideLine(following, after, { type: 'silence', since: null }, 12_000).keep).toEqual({ silentSince: null })
  expect(decideLine(following, after, { type: 'lost', why: 'x' }, 16_000).keep).toMatchObject({
    ...{ connected: false, since: 700, silentSince: null },
  })
})
