// Aider, from histories in the format of its documentation and source (0.86).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseChat, parseInput } from '../../src/plugins/agent-aider/histories.ts'
import { createAiderAgent, plugin } from '../../src/plugins/agent-aider/index.ts'
import type { Agent } from '../../src/slots/agent.ts'
import { describeAgentBasics } from './agent-basics.ts'
import { type AgentWorld, placeFile, readTelemetry } from './agent-world.ts'
import { shareWorld } from './shared-world.ts'

const chatFile = ({ stateDir }: AgentWorld) => join(stateDir, 'aider.chat.history.md')
const inputFile = ({ stateDir }: AgentWorld) => join(stateDir, 'aider.input.history')

describeAgentBasics('aider', {
  plugin,
  program: 'aider',
  promptIn: null,
  files: (world) => [chatFile(world), inputFile(world)],
})

const LAUNCHED = new Date('2026-11-15T01:15:40Z')
const NOW = new Date('2026-11-15T01:17:00Z')
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const CHAT = readTelemetry('aider/chat.history.md')

const currentWorld = shareWorld()
let world: AgentWorld
let agent: Agent

beforeEach(async () => {
  world = currentWorld()
  agent = createAiderAgent({ now: () => LAUNCHED })
  await agent.prepare!(world.launch())
})

const state = (now: Date, session = world.session) => agent.getActivityState(session, world.options(now))

describe('the launch of Aider', () => {
  it('S0.80 starts without the task, which comes as a message, and has no resume of its own', () => {
    expect(agent.getRestoreCommand).toBeUndefined()
    const command = agent.getLaunchCommand(world.launch({ prompt: 'the task', model: 'gpt-4.1' }))
    expect(command).not.toContain('--message')
    expect(command).toEqual(expect.arrayContaining(['--model', 'gpt-4.1', '--no-check-update', '--analytics-disable']))
  })

  it.each([
    ['skip', true],
    ['auto-edit', false],
    ['default', false],
    ['suggest', false],
  ] as const)('permissions %s answers questions by itself: %s', (permissions, yes) => {
    expect(agent.getLaunchCommand(world.launch({ permissions })).includes('--yes-always')).toBe(yes)
  })

  it('keeps its histories outside the worktree, and its map of the repository out of git (S1.63)', () => {
    const command = agent.getLaunchCommand(world.launch())
    expect(command[command.indexOf('--chat-history-file') + 1]).toBe(chatFile(world))
    expect(command[command.indexOf('--input-history-file') + 1]).toBe(inputFile(world))
    mkdirSync(join(world.workspacePath, '.aider.tags.cache.v4'))
    writeFileSync(join(world.workspacePath, '.aider.tags.cache.v4', 'cache.db'), 'x')
    expect(world.worktreeChanges()).toBe('!! .aider.tags.cache.v4/')
  })

  it('reads instructions as files', () => {
    const command = agent.getLaunchCommand(world.launch({ systemPromptFile: '/x/system.md' }))
    const read = command.flatMap((word, at) => (word === '--read' ? [command[at + 1]] : []))
    expect(read).toEqual([join(world.workspacePath, '.ao', 'AGENTS.md'), '/x/system.md'])
  })
})

describe('the activity of Aider, without a screen (S0.51)', () => {
  it.each([
    ['a message is newest', 'active', '\n#### One more  \n'],
    ['an answer is complete', 'ready', ''],
    ['a command to Aider itself', 'ready', '\n#### /undo  \n'],
    ['an error', 'blocked', '\n#### More  \n\n> litellm.AuthenticationError: invalid x-api-key  \n'],
    ['an error and a retry', 'active', '\n#### More\n> litellm.RateLimitError: x  \n> Retrying in 2.0 seconds...  \n'],
  ])('%s: %s', async (_what, expected, end) => {
    placeFile(chatFile(world), `${CHAT}${end}`, NOW)
    expect(await state(later(10))).toMatchObject({ state: expected, timestamp: NOW })
  })

  it('S0.46 is idle beyond the threshold', async () => {
    placeFile(chatFile(world), CHAT, NOW)
    expect(await state(later(299))).toMatchObject({ state: 'ready' })
    expect(await state(later(301))).toMatchObject({ state: 'idle' })
  })

  it('says nothing about a chat from before this launch', async () => {
    placeFile(chatFile(world), CHAT, new Date(LAUNCHED.getTime() - 1000))
    expect(await state(NOW)).toBeNull()
  })
})

describe('S1.68 the activity log of Aider', () => {
  const QUESTION = "src/a.ts\nAdd file to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]:"

  it('is written from the screen and wins over an older chat', async () => {
    placeFile(chatFile(world), CHAT, NOW)
    await agent.recordActivity!(world.session, QUESTION, later(5))
    const line = readFileSync(join(world.workspacePath, '.ao', 'activity.jsonl'), 'utf8').trim()
    expect(JSON.parse(line)).toMatchObject({ state: 'waiting_input', source: 'terminal' })
    expect(await state(later(6))).toMatchObject({ state: 'waiting_input', timestamp: later(5) })
    placeFile(chatFile(world), CHAT, later(7))
    expect(await state(later(8))).toMatchObject({ state: 'ready' })
  })

  it('leaves a running session to the screen, until it is idle', async () => {
    placeFile(chatFile(world), CHAT, NOW)
    const running = { ...world.session, runtimeHandle: { id: 'x', runtimeName: 'tmux' } }
    expect(await state(later(5), running)).toBeNull()
    expect(await state(later(400), running)).toMatchObject({ state: 'idle' })
  })

  it.each([
    ['Tokens: 2k sent, 10 received.\n\n> ', 'ready'],
    ['architect> ', 'ready'],
    [QUESTION, 'waiting_input'],
    ['Allow creation of new file a.txt? (Y)es/(N)o [Yes]: ', 'waiting_input'],
    ['░█        Waiting for openai/gpt-4.1', 'active'],
    ['litellm.AuthenticationError: no key\n\n> ', 'blocked'],
    ['litellm.RateLimitError: x\nTokens: 2k sent, 10 received.\n> ', 'ready'],
    ['some text of an answer', null],
  ])('S0.53 reads %j as %s', (screen, expected) => {
    expect(agent.detectActivity(screen)).toBe(expected)
  })
})

describe('what Aider knows', () => {
  it('S2.50 reports the first message, model, tokens and cost of its chat', async () => {
    placeFile(chatFile(world), CHAT, NOW)
    expect(await agent.getSessionInfo(world.session, world.options(NOW))).toEqual({
      summary: 'Fix the login',
      summaryIsFallback: true,
      agentSessionId: null,
      model: 'gpt-4.1',
      cost: {
        inputTokens: 3_550,
        outputTokens: 500,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        estimatedCostUsd: expect.closeTo(0.01, 10),
      },
    })
  })

  it('does not call an unknown price 0', () => {
    expect(parseChat('> Tokens: 6.4k sent, 201 received.  \n')).toMatchObject({ sentTokens: 6_400, costUsd: null })
  })

  it('has seen a message that its input history shows at or after that time', async () => {
    placeFile(inputFile(world), readTelemetry('aider/input.history'), NOW)
    const seen = (text: string, since: string) =>
      agent.hasSeen!(world.session, text, new Date(since), world.options(NOW))
    // Aider writes local time.
    expect(await seen('Fix the login\nand add a test', '2026-11-15T01:15:46')).toBe(true)
    expect(await seen('Fix the login\nand add a test', '2026-11-15T01:15:47')).toBe(false)
    expect(await seen('Now the', '2026-11-15T01:15:46')).toBe(false)
  })

  it('reads an input history that was cut off', () => {
    expect(parseInput('+half a message\n\n# 2026-11-15 01:16:04.2\n+whole\n\n# 2026-99-99 01:16:04\n+bad')).toEqual([
      { at: new Date('2026-11-15T01:16:04.2'), text: 'whole' },
    ])
  })
})
