import { expect, it } from 'vitest'
import { findFalseStates } from './find-false-states.ts'

const step = (askedAt: number, answeredAt: number, reply: object, isComplete = true) => ({
  askedAt,
  answeredAt,
  isComplete,
  userTexts: [],
  verb: null,
  reply: reply as { text: string },
})
const state = (at: number, activity: string) => ({ at, activity, status: 'working' })
const TEXT = { text: 'ok' }
const TOOL = { tool: 'bash', input: {} }

it.each([
  [
    'a turn that is reported in time',
    [step(1_000, 5_000, TEXT)],
    [state(0, 'ready'), state(1_500, 'active'), state(5_900, 'ready')],
    [],
  ],
  ['a turn that is never reported', [step(1_000, 5_000, TEXT)], [state(0, 'ready')], ['late ready']],
  [
    'a start that is reported late',
    [step(1_000, 5_000, TEXT)],
    [state(0, 'ready'), state(2_100, 'active'), state(5_100, 'ready')],
    ['late ready'],
  ],
  [
    'an end that is reported late',
    [step(1_000, 5_000, TEXT)],
    [state(1_000, 'active'), state(6_100, 'ready')],
    ['late active'],
  ],
  ['a quick turn that nobody could see', [step(1_000, 1_010, TEXT)], [state(0, 'ready')], []],
  [
    'a lapse in the middle',
    [step(1_000, 9_000, TEXT)],
    [state(900, 'active'), state(4_000, 'ready'), state(4_100, 'active'), state(9_100, 'ready')],
    ['false ready'],
  ],
  [
    'a tool',
    [step(1_000, 1_100, TOOL), step(9_000, 9_100, TEXT)],
    [state(1_000, 'active'), state(5_000, 'idle'), state(9_000, 'active'), state(9_200, 'ready')],
    ['false idle'],
  ],
  ['an interrupted answer', [step(1_000, 5_000, TEXT, false)], [state(1_000, 'active'), state(9_000, 'ready')], []],
])('%s', (_name, steps, states, wrong) => {
  expect(
    findFalseStates({ states, steps, sentAt: [] }).map(
      ({ activity, isLate }) => `${isLate ? 'late' : 'false'} ${activity}`,
    ),
  ).toEqual(wrong)
})

it('the next message ends the time in which nothing happens', () => {
  const steps = [step(1_000, 1_100, TEXT)]
  const states = [state(0, 'ready'), state(4_050, 'active')]
  expect(findFalseStates({ states, steps, sentAt: [4_000] })).toEqual([])
})
