import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { AGENT_TABLE, agentRow, type TerminalCommand } from '../../contract/agents/agent-table.ts'
import type { Session } from '../../contract/session.ts'
import { silentLog } from '../../lib/log.ts'
import type { Agent } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { shownSince } from '../agent-files/screen/screen-log.ts'
import { BUILTIN_PLUGINS } from '../builtin.ts'
import { createTableAgent } from './index.ts'

const context = { home: '/home/x', env: {}, log: silentLog } as unknown as PluginContext
function inputOf(name: string, text: string) {
  const row = agentRow(name)!
  return createTableAgent({ row, terminal: row.terminal as TerminalCommand, context, prices: {} }).readScreenInput!(
    text,
  )
}
const screen = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/screens/${name}.txt`, import.meta.url), 'utf8')

it('Qwen Code takes text at its input line, keys in a dialog, and nothing known while it starts', () => {
  expect(inputOf('qwen', screen('qwen-input'))).toEqual({ takes: 'text' })
  expect(inputOf('qwen', screen('qwen-dialog')).takes).toBe('keys')
  expect(inputOf('qwen', '  ██║▄▄ ██║\n  Tips: You can resume a conversation')).toEqual({ takes: 'unknown' })
})

it('Qwen Code: since when its screen shows that nothing runs is kept, because its records come late', async () => {
  const workspacePath = mkdtempSync(join(tmpdir(), 'ao-qwen-'))
  const session = { workspacePath, metadata: {} } as unknown as Session
  const row = agentRow('qwen')!
  const agent = createTableAgent({ row, terminal: row.terminal as TerminalCommand, context, prices: {} })
  const showing = async (text: string, second: number) => {
    await agent.recordActivity!(session, text, new Date(second * 1_000))
    return shownSince(session)
  }
  try {
    expect(await showing(screen('qwen-working'), 1)).toEqual({ state: 'active', since: new Date(1_000) })
    expect(await showing(screen('qwen-input'), 2)).toEqual({ state: 'ready', since: new Date(2_000) })
    expect(await showing(screen('qwen-input'), 3)).toEqual({ state: 'ready', since: new Date(2_000) })
    expect(await showing(screen('qwen-dialog'), 4)).toEqual({ state: 'waiting_input', since: new Date(4_000) })
  } finally {
    rmSync(workspacePath, { recursive: true, force: true })
  }
})

it('Copilot CLI takes text when it has loaded', () => {
  const rule = '─'.repeat(120)
  const loading = ` /repo [⎇ master]\n${rule}\n❯\n${rule}\n ● Loading:`
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

it.each(AGENT_TABLE.filter(({ verified }) => verified !== null).map(({ name }) => name))(
  '%s: a message waits for the input line of an agent that has just started',
  async (name) => {
    const { plugin } = await BUILTIN_PLUGINS.find((one) => one.slot === 'agent' && one.name === name)!.load()
    const agent = plugin.create({}, context) as Agent
    expect(agent.drawsInputLate).toBe(true)
    expect(agent.readScreenInput!('')).toEqual({ takes: 'unknown' })
  },
)
