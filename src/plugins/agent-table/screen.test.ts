import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { agentRow, type TerminalWords } from '../../contract/agents/agent-table.ts'
import { silentLog } from '../../lib/log.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { createTableAgent } from './index.ts'

const context = { home: '/home/x', env: {}, log: silentLog } as unknown as PluginContext
function inputOf(name: string, text: string) {
  const row = agentRow(name)!
  return createTableAgent({ row, words: row.terminal as TerminalWords, context, prices: {} }).readScreenInput!(text)
}
const screen = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/screens/${name}.txt`, import.meta.url), 'utf8')

it('Qwen Code takes text at its input line, keys in a dialog, and nothing known while it starts', () => {
  expect(inputOf('qwen', screen('qwen-input'))).toEqual({ takes: 'text' })
  expect(inputOf('qwen', screen('qwen-dialog')).takes).toBe('keys')
  expect(inputOf('qwen', '  ██║▄▄ ██║\n  Tips: You can resume a conversation')).toEqual({ takes: 'unknown' })
})

it('Copilot CLI takes text when it has loaded', () => {
  const loading = ' /repo [⎇ master]\n────────\n❯\n────────\n ● Loading:'
  expect(inputOf('copilot', loading)).toEqual({ takes: 'unknown' })
  const loaded = loading.replace('● Loading:', '← open sidebar · Interactive · / commands · ? help')
  expect(inputOf('copilot', loaded)).toEqual({ takes: 'text' })
})
