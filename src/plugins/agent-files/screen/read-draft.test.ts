// Screens of the real programs, with their colours.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { afterMark, behindBar, betweenRules, draftReader } from './read-draft.ts'

const READERS = {
  'claude-code': betweenRules,
  codex: afterMark,
  opencode: behindBar,
  gemini: betweenRules,
  qwen: betweenRules,
  pi: betweenRules,
  copilot: betweenRules,
}

const screen = (name: string) =>
  readFileSync(new URL(`../../../../test/fixtures/screens/drafts/${name}.ansi`, import.meta.url), 'utf8')

const PUTS_BACK = ['qwen', 'pi']

it.each(Object.entries(READERS))('%s: what was typed, and not what it suggests', (agent, find) => {
  const read = draftReader(find)
  const shown = ['empty', 'busy-queued', 'draft', 'multi', 'interrupted'].map((name) =>
    read(screen(`${agent}-${name}`)),
  )
  expect(shown.map((text) => text.replace(/\p{Cf}/gu, '').trim())).toEqual([
    '',
    '',
    'my own draft',
    'first line of it\nsecond line of it',
    PUTS_BACK.includes(agent) ? 'TASK:HELLO queued' : '',
  ])
})

it.each(Object.values(READERS))('a screen without an input line holds no draft', (find) => {
  const read = draftReader(find)
  expect([read(''), read('some\nwords\n'), read('› an earlier message\n\nan answer\n')]).toEqual(['', '', ''])
})
