import { expect, it } from 'vitest'
import { stateByTexts } from './index.ts'

const WORDS = { working: ['Thinking*s)'], ready: ['> Ask*anything'] }
const LONG = Array.from({ length: 30 }, () => 'Thinking (3s)').join('\n')

it.each([
  ['its spinner', '⠋ Thinking (3s)\n> Ask me anything', null, 'active'],
  ['its input line', 'done\n> Ask me anything', null, 'ready'],
  ['neither', 'done', null, null],
  ['a question, whatever else there is', '⠋ Thinking (3s)\nReally? [y/n]', 'waiting_input', 'waiting_input'],
  ['what all programs say', '> Ask me anything\nesc to cancel', 'active', 'active'],
  ['a spinner that has scrolled away', `${LONG}${'\n'.repeat(20)}> Ask me anything`, null, 'ready'],
] as const)('%s', (_name, text, common, state) => {
  expect(stateByTexts(text, common, WORDS)).toBe(state)
})

it('without words the screen says what it said before', () => {
  expect(stateByTexts('> Ask me anything', null, {})).toBeNull()
})
