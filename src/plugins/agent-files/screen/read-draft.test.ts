// Screens of the real programs, with their colours.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { afterMark, behindBar, betweenPlainRules, betweenRules, underRule } from './input-line.ts'
import { draftReader } from './read-draft.ts'

const READERS = {
  'claude-code': betweenRules,
  codex: afterMark,
  opencode: behindBar,
  gemini: underRule,
  qwen: betweenRules,
  pi: betweenPlainRules,
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
  expect(shown.map((text) => text?.replace(/\p{Cf}/gu, '').trim() ?? null)).toEqual([
    '',
    '',
    'my own draft',
    'first line of it\nsecond line of it',
    PUTS_BACK.includes(agent) ? 'TASK:HELLO queued' : '',
  ])
})

it.each(Object.values(READERS))('a screen without an input line holds no draft', (find) => {
  const read = draftReader(find)
  expect([read(''), read('some\nwords\n'), read('› an earlier message\n\nan answer\n')]).toEqual([null, null, null])
})

it('Codex: empty lines belong to a draft, and an answer below an earlier message does not', () => {
  const read = draftReader(afterMark)
  const below = ['', '  model default · ~/app', '      ⚠ 2 warnings · f2 to view']
  expect(read(['› first', '', '    second, indented', '', '', '  third', ...below].join('\n'))).toBe(
    'first\n\n  second, indented\n\n\nthird',
  )
  expect(read(['› earlier', '', '• an answer', '', '  Worked for 1s · 06:07', ...below].join('\n'))).toBeNull()
})

it('rules of the conversation are not those of the input line', () => {
  const rule = '─'.repeat(120)
  const read = draftReader(betweenRules)
  expect(read([rule, 'a table', rule, 'and more', '', '❯ earlier'].join('\n'))).toBeNull()
  const named = `${'─'.repeat(100)} a name of the session ──`
  expect(read([rule, '❯ earlier', 'an answer', named, '❯ a draft', rule, '  hints'].join('\n'))).toBe('a draft')
  expect(read([rule, '❯ earlier', 'an answer', named, '❯ ', rule, '  hints'].join('\n'))).toBe('')
  const answer = Array.from({ length: 8 }, (_, n) => `line ${n}`)
  expect(read([rule, '❯ earlier', rule, ...answer].join('\n'))).toBeNull()
})

it.each([
  ['without colours', '> Type your message or @path/to/file'],
  ['in the colours of an older terminal', '> \u001b[38;5;60mwhat it proposes next'],
  ['in grey', '> \u001b[38;5;245mwhat it proposes next'],
  ['in bright black', '> \u001b[90mwhat it proposes next'],
  ['faint', '> \u001b[2mwhat it proposes next'],
  ['after a drawn cursor', '> \u001b[7m \u001b[0mwhat it proposes next'],
  ['under a cursor with a background', '* \u001b[48;5;252mo\u001b[38;5;103m\u001b[49mk'],
  ['under a cursor with one of the eight backgrounds', '> \u001b[47mw\u001b[90;49mhat it proposes next'],
  ['under a drawn cursor', '> \u001b[4mw\u001b[24mhat it proposes next'],
])('a suggestion %s is not a draft', (_how, line) => {
  const rule = '─'.repeat(120)
  expect(draftReader(betweenRules)([rule, `${line}\u001b[0m`, rule].join('\n'))).toBe('')
})

it('a draft on a line that has a background is a draft', () => {
  const rule = '─'.repeat(120)
  const line = '> \u001b[48;5;236mmy own draft   \u001b[49m'
  expect(draftReader(betweenRules)([rule, line, rule].join('\n'))).toBe('my own draft')
})

it('Gemini CLI with few colours draws no edges around its input line', () => {
  const read = draftReader(underRule)
  expect([read(screen('gemini-256-empty')), read(screen('gemini-256-draft'))]).toEqual(['', 'a draft x1'])
})
