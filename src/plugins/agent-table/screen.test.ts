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

it('pi takes text when its input line is drawn, and is waited for until then', () => {
  const rule = '─'.repeat(120)
  expect(inputOf('pi', '')).toEqual({ takes: 'unknown' })
  expect(inputOf('pi', ' Warning: ripgrep not found.')).toEqual({ takes: 'unknown' })
  expect(inputOf('pi', ` ok\n\n${rule}\n\n${rule}\n~/w (main)\n0.0%/200k (auto)    scripted`)).toEqual({
    takes: 'text',
  })
})

it.each(['qwen', 'pi', 'copilot'])(
  '%s: a message waits for the input line of an agent that has just started',
  (name) => {
    const row = agentRow(name)!
    const agent = createTableAgent({ row, words: row.terminal as TerminalWords, context, prices: {} })
    expect(agent.drawsInputLate).toBe(true)
  },
)
