// Screens of the real programs, recorded with tmux at 120 columns: Claude Code 2.1.325, Codex 0.166.0, Gemini CLI 0.61.0,
// OpenCode 1.18.33, and Qwen Code 0.24.4 as `generic`.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ScreenInput } from '../../../contract/dialog.ts'
import { readScreenInput as claude } from '../../agent-claude-code/screen.ts'
import { readScreenInput as codex } from '../../agent-codex/screen.ts'
import { readScreenInput as gemini } from '../../agent-gemini/screen.ts'
import { readScreenInput as opencode } from '../../agent-opencode/screen.ts'
import { labelDecision } from './label-decision.ts'
import { readScreenInput as generic } from './plain-screen.ts'

const SCREENS = new URL('../../../../test/fixtures/screens/', import.meta.url)
const screen = (name: string) => readFileSync(new URL(`${name}.txt`, SCREENS), 'utf8')

const READERS = { claude, codex, gemini, opencode, qwen: generic }
const COMMAND = (name: string) => `echo escalated > /code/${name}-out.txt`

function decisions(input: ScreenInput): Record<string, string | null> {
  if (input.takes !== 'keys' || !input.dialog) return {}
  return Object.fromEntries(input.dialog.choices.map(({ label, decision }) => [decision ?? 'unknown', label]))
}

describe.each(Object.entries(READERS))('%s', (name, read) => {
  it('a dialog takes keys; its title says what it is about, its labels what they mean', () => {
    const input = read(screen(`${name}-dialog`))
    expect(input).toMatchObject({ takes: 'keys', dialog: { title: expect.stringContaining(COMMAND(name)) } })
    expect(decisions(input)).toMatchObject({
      'allow-once': expect.stringMatching(/^(Yes|Yes, proceed \(y\)|Allow once|Yes, allow once)$/),
      'reject-once': expect.stringMatching(/^(No|Reject)/),
    })
  })

  it('its input line takes text, also with a draft that looks like a list', () => {
    expect(read(screen(`${name}-input`))).toEqual({ takes: 'text' })
  })
})

describe('a draft that is a list is not a menu', () => {
  const draft = (text: string, line: RegExp, marker: string) =>
    text.replace(line, `${marker} 1. Yes, add the tests\n  2. No new dependencies`)
  it.each([
    ['claude', claude, draft(screen('claude-input'), /^❯\s*$/m, '❯')],
    ['codex', codex, draft(screen('codex-input'), /^› Ask Codex to do anything$/m, '›')],
    ['gemini', gemini, draft(screen('gemini-input'), /^ > {3}Type your message.*$/m, ' >')],
  ])('%s', (_name, read, text) => {
    expect(text).toContain('2. No new dependencies')
    expect(read(text)).toEqual({ takes: 'text' })
  })
})

describe('opencode', () => {
  const styled = (selected: string) =>
    ['Allow once', 'Allow always', 'Reject'].reduce(
      (text, label) =>
        text.replace(` ${label} `, `\u001b[48;5;${label === selected ? 215 : 234}m ${label} \u001b[48;5;234m`),
      screen('opencode-edit-dialog'),
    )
  const keysOf = (input: ScreenInput, label: string) =>
    input.takes === 'keys' ? input.dialog?.choices.find((choice) => choice.label === label)?.keys : undefined

  it('without colours only the refusal has keys', () => {
    const input = opencode(screen('opencode-edit-dialog'))
    expect(keysOf(input, 'Allow once')).toBe(null)
    expect(keysOf(input, 'Reject')).toEqual(['\u001b'])
  })

  it.each([
    ['Allow once', ['\r'], ['\u001b[C\u001b[C', '\r']],
    ['Allow always', ['\u001b[C\u001b[C', '\r'], ['\u001b[C', '\r']],
    ['Reject', ['\u001b[C', '\r'], ['\r']],
  ])('with %s selected it knows the way to each button', (selected, once, reject) => {
    const input = opencode(styled(selected))
    expect(keysOf(input, 'Allow once')).toEqual(once)
    expect(keysOf(input, 'Reject')).toEqual(reject)
  })
})

describe('generic', () => {
  it.each([
    ['Overwrite it? [y/N] ', 'keys'],
    ['Continue (yes/no)? ', 'keys'],
    ['Pick one\n> 1. Yes\n  2. No', 'keys'],
    ['Pick one\n❯ 1. Red\n  2. Blue', 'keys'],
    ['Press Enter to continue', 'keys'],
    ['1. Yes is a word\n2. No is one too\n> ', 'text'],
    ['I did this:\n1. tests\n2. docs\nWhat should I call it?\n> ', 'text'],
    ['Apply this change? (y/n)\n> ', 'keys'],
    ['Apply this change? (y/n)\n(waiting 300s)', 'keys'],
    ['Apply this change? (y/n)\n\n> ', 'keys'],
    ['Apply this change? (y/n) y\n> ', 'text'],
    ['Stage this hunk [y,n,q,a,d,e,?]? ', 'keys'],
    ['1) Red\n2) Blue\n#? ', 'keys'],
    ["maria@example's password: ", 'keys'],
    ['Enter your choice: ', 'keys'],
    ['Pick\n ❯ [ ] 1. Red\n   [x] 2. Blue\n Space: Toggle', 'keys'],
    ['maria@host:~/code$ ', 'text'],
    ['>>> ', 'text'],
    ['ask> half a draft', 'unknown'],
    ['╭────────╮\n│ > half a draft │\n╰────────╯\n  ? for help', 'text'],
    ['reading the repository …', 'unknown'],
    ['a line\n:', 'unknown'],
    ['a line\n(END)', 'unknown'],
    ['--More--(42%)', 'unknown'],
    ['> a quotation\n~\n~\n~\n"notes.md" 1L, 14B', 'unknown'],
    ['> a quotation\n\n^G Help      ^O Write Out', 'unknown'],
    ['', 'unknown'],
  ])('%j takes %s', (text, takes) => {
    expect(generic(text).takes).toBe(takes)
  })
})

it('an option that says that Escape chooses it is chosen by Escape', () => {
  const input = codex(screen('codex-dialog'))
  const choices = input.takes === 'keys' ? input.dialog?.choices : []
  expect(choices?.find(({ decision }) => decision === 'reject-once')?.keys).toEqual(['\u001b'])
  expect(choices?.find(({ decision }) => decision === 'allow-once')?.keys).toEqual(['1', '\r'])
})

describe('what a label means', () => {
  it.each([
    ['Yes', 'allow-once'],
    ['Yes, proceed (y)', 'allow-once'],
    ['Allow once', 'allow-once'],
    ['Yes, and always allow access to /work from this project', 'allow-always'],
    ['Yes, allow all edits during this session (shift+tab)', 'allow-always'],
    ["Yes, and don't ask again for commands that start with `x` (p)", 'allow-always'],
    ['Allow for this session', 'allow-always'],
    ['Yes, allow reading from /dev from this project', 'allow-always'],
    ['Yes, allow `git push` in this project', 'allow-always'],
    ['Yes, I trust this folder', 'allow-once'],
    ['Yes, until I quit', 'allow-always'],
    ['Yes, and auto-accept edits', 'allow-always'],
    ['No, and tell Codex what to do differently (esc)', 'reject-once'],
    ['No, suggest changes (esc)', 'reject-once'],
    ['Reject', 'reject-once'],
    ['Switch to Default Mode and allow once (recommended)', null],
    ['Notes', null],
    ['Red', null],
  ])('%s: %s', (label, decision) => {
    expect(labelDecision(label)).toBe(decision)
  })
})
