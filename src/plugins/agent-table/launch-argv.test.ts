import { describe, expect, it } from 'vitest'
import {
  AGENT_TABLE,
  type AgentRow,
  agentRow,
  howToInstall,
  type TerminalCommand,
} from '../../contract/agents/agent-table.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { type LaunchFacts, launchArgv, resumeArgv } from './launch-argv.ts'

const launch = (more: Partial<AgentLaunch> = {}) =>
  ({ sessionId: 'app-1', permissions: 'skip', config: {}, stateDir: '/state', prompt: 'do it', ...more }) as AgentLaunch
const FACTS: LaunchFacts = { id: '1-2-3', instructions: null, longPromptFile: '/state/task.md' }
const wordsOf = (row: AgentRow) => row.terminal as TerminalCommand
const start = (name: string, more?: Partial<AgentLaunch>, facts = FACTS) =>
  launchArgv(agentRow(name)!, wordsOf(agentRow(name)!), launch(more), facts)
const resume = (name: string, facts: LaunchFacts = FACTS) =>
  resumeArgv(agentRow(name)!, wordsOf(agentRow(name)!), launch(), facts)

const ROWS = AGENT_TABLE.filter(({ terminal }) => terminal !== 'own')

describe('the words of an agent of the table', () => {
  it.each([
    ['qwen', ['qwen', '--approval-mode', 'yolo', '--session-id', '1-2-3', '--prompt-interactive=do it']],
    ['pi', ['pi', '--session-id', '1-2-3', '--', 'do it']],
    ['copilot', ['copilot', '--allow-all-tools', '--allow-all-paths', '--session-id=1-2-3', '--interactive=do it']],
    ['goose', ['goose', 'session', '--name', 'app-1']],
    ['kiro', ['kiro-cli', 'chat', '--trust-all-tools', '--', 'do it']],
    ['amp', ['amp', '--dangerously-allow-all']],
  ])('%s is started with them', (name, command) => {
    expect(start(name)).toEqual(command)
  })

  it.each([
    ['qwen', ['qwen', '--resume', '1-2-3', '--approval-mode', 'yolo']],
    ['goose', ['goose', 'session', '--resume', '--name', 'app-1']],
    ['cline', null],
  ])('%s is resumed with them', (name, command) => {
    expect(resume(name)).toEqual(command)
  })

  it('an unknown id resumes nothing', () => {
    expect(resume('qwen', { ...FACTS, id: null })).toBeNull()
  })

  it.each(ROWS.map(({ name }) => name))('%s without a task, a model or an id has no empty words', (name) => {
    const row = agentRow(name)!
    const command = launchArgv(row, wordsOf(row), launch({ prompt: undefined }), { ...FACTS, id: null })
    expect(command[0]).toBe(row.program)
    expect(command.join(' ')).not.toMatch(/[{}]|undefined|null/)
    expect(command.at(-1)).not.toBe('--')
  })

  it('model, own arguments and another program', () => {
    const config = { command: '/opt/qwen', args: ['--debug'] }
    expect(start('qwen', { config, model: 'm', permissions: 'default' })).toEqual([
      '/opt/qwen',
      ...['--model', 'm', '--session-id', '1-2-3', '--debug', '--prompt-interactive=do it'],
    ])
  })

  it('instructions have a flag, or precede the task', () => {
    const facts = { ...FACTS, instructions: 'Be kind.' }
    expect(start('qwen', {}, facts)).toContain('--append-system-prompt')
    expect(start('copilot', {}, facts).at(-1)).toBe('--interactive=Be kind.\n\ndo it')
  })

  it('a task that is too long for an argument is read from a file', () => {
    expect(start('pi', { prompt: 'x'.repeat(200_000) }).at(-1)).toContain('/state/task.md')
  })
})

it('every row says how its program is installed, and names are unique', () => {
  expect(new Set(AGENT_TABLE.map(({ name }) => name)).size).toBe(AGENT_TABLE.length)
  for (const row of AGENT_TABLE) expect(howToInstall(row)).toMatch(/npm install|curl|pip|uv /)
})
