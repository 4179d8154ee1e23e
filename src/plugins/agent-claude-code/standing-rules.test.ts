import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readCodexRules } from '../agent-codex/index.ts'
import { readClaudeRules } from './standing-rules.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rules-'))
  mkdirSync(join(directory, '.claude'))
  mkdirSync(join(directory, 'rules'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const file = () => join(directory, '.claude/settings.local.json')
const claude = (text: string) => {
  writeFileSync(file(), text)
  return readClaudeRules(directory).map(({ effect, rule }) => [effect, rule])
}

it('reads the rules that Claude Code keeps in the workspace, and believes nothing else in the file', () => {
  const permissions = { allow: ['Bash(npm test:*)', 7], deny: ['Read(.env)'], ask: 'Bash' }
  expect(claude(JSON.stringify({ permissions }))).toEqual([
    ['allow', 'Bash(npm test:*)'],
    ['deny', 'Read(.env)'],
  ])
  for (const text of ['', 'null', '[]', '7', '{"permissions":"all"}', '{ not json']) expect(claude(text)).toEqual([])
  expect(readClaudeRules(join(directory, 'missing'))).toEqual([])
  expect(readClaudeRules(null)).toEqual([])
})

it('does not follow a link out of the workspace', () => {
  symlinkSync('/etc/hostname', file())
  expect(() => readClaudeRules(directory)).toThrow()
})

it('reads the commands that Codex may run, from its own rules', () => {
  expect(readCodexRules(directory)).toEqual([])
  writeFileSync(
    join(directory, 'rules/default.rules'),
    '# mine\nprefix_rule(pattern=["git", "push"], decision="allow")\nprefix_rule(pattern=["rm"], decision="forbidden")\n',
  )
  expect(readCodexRules(directory).map(({ effect, rule }) => [effect, rule])).toEqual([
    ['allow', 'prefix_rule(pattern=["git", "push"], decision="allow")'],
    ['deny', 'prefix_rule(pattern=["rm"], decision="forbidden")'],
  ])
})
