import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { agentRow, type TerminalWords } from '../../contract/agents/agent-table.ts'
import { silentLog } from '../../lib/log.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { createTableAgent } from './index.ts'

const row = agentRow('qwen')!
const context = { home: '/home/x', env: {}, log: silentLog } as unknown as PluginContext
const agent = createTableAgent({ row, words: row.terminal as TerminalWords, context, prices: {} })
const screen = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/screens/${name}.txt`, import.meta.url), 'utf8')

it('Qwen Code takes text at its input line, keys in a dialog, and nothing known while it starts', () => {
  expect(agent.readScreenInput!(screen('qwen-input'))).toEqual({ takes: 'text' })
  expect(agent.readScreenInput!(screen('qwen-dialog')).takes).toBe('keys')
  expect(agent.readScreenInput!('  ██║▄▄ ██║\n  Tips: You can resume a conversation')).toEqual({ takes: 'unknown' })
})
