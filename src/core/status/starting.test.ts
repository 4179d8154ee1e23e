import { expect, it } from 'vitest'
import { STARTING_MS, type StartFacts, stateAtStart } from './starting.ts'

const FACTS: StartFacts = { activity: 'ready', screen: 'text', awaitsPrompt: true, sinceStartMs: 1_000 }

it.each<[string, Partial<StartFacts>, string | null]>([
  ['at its input line, before its first turn', {}, 'active'],
  ['at its input line, with records that say nothing', { activity: null }, 'active'],
  ['that was resumed without a prompt, at its input line', { awaitsPrompt: false }, null],
  ['that was resumed, before its input line is drawn', { awaitsPrompt: false, screen: 'unknown' }, 'active'],
  [
    'with old records that say nothing, before its input line is drawn',
    { activity: null, screen: 'unknown' },
    'active',
  ],
  ['at a dialog', { activity: null, screen: 'keys' }, 'waiting_input'],
  ['at a dialog, long after its start', { activity: null, screen: 'keys', sinceStartMs: 10 ** 7 }, 'waiting_input'],
  ['at work, as its records say', { activity: 'active', screen: 'unknown' }, null],
  ['blocked, as its records say', { activity: 'blocked', screen: 'text' }, null],
  ['whose screen cannot be read', { screen: null }, null],
  ['that has had its time to start', { sinceStartMs: STARTING_MS }, null],
  ['that shows something unknown, long after its start', { screen: 'unknown', sinceStartMs: STARTING_MS }, null],
])('an agent %s', (_what, facts, state) => {
  expect(stateAtStart({ ...FACTS, ...facts })?.state ?? null).toBe(state)
})
