// Any program by configuration: its command, its placeholders, and what its screen shows.
import { beforeEach, describe, expect, it } from 'vitest'
import { plugin } from '../../src/plugins/agent-generic/index.ts'
import type { AgentLaunch } from '../../src/slots/agent.ts'
import { describeAgentBasics } from './agent-basics.ts'
import type { AgentWorld } from './agent-world.ts'
import { shareWorld } from './shared-world.ts'

describeAgentBasics('generic', {
  plugin,
  program: 'mytool',
  config: { command: ['mytool', '--chat'] },
  promptIn: null,
  files: () => [],
})

const currentWorld = shareWorld()
let world: AgentWorld

beforeEach(() => {
  world = currentWorld()
})

const create = (options: Record<string, unknown> = {}) => plugin.create(options, world.context)
const command = (config: AgentLaunch['config'], overrides: Partial<AgentLaunch> = {}) =>
  create().getLaunchCommand(world.launch({ config, ...overrides }))

describe('the command of the generic agent (S0.5)', () => {
  it.each([
    ['my tool "two words" --x', ['my', 'tool', 'two words', '--x']],
    [
      ['/opt/my tool', '$(rm)'],
      ['/opt/my tool', '$(rm)'],
    ],
  ])('is %j as words, never a shell line', (given, argv) => {
    expect(command({ command: given })).toEqual(argv)
  })

  it('fills in prompt, files and model, each once', () => {
    const config = { command: 'tool --model={model} -s {systemPromptFile} {prompt}', args: ['--task', '{promptFile}'] }
    const launch = { prompt: 'use {model} "x"\n$HOME', model: 'm', systemPromptFile: '/s.md' }
    expect(command(config, launch)).toEqual([
      'tool',
      '--model=m',
      '-s',
      '/s.md',
      'use {model} "x"\n$HOME',
      '--task',
      `${world.stateDir}/prompt.md`,
    ])
  })

  it('leaves out what has no value, together with its option', () => {
    const config = { command: 'tool run --model {model} --sys={systemPromptFile} -- {prompt}' }
    expect(command(config)).toEqual(['tool', 'run'])
    expect(command(config, { prompt: 'go' })).toEqual(['tool', 'run', '--', 'go'])
  })

  it('points to the prompt file when the task is too long for an argument', () => {
    const argv = command({ command: 'tool {prompt}' }, { prompt: 'x'.repeat(200_000) })
    expect(argv[1]).toContain(`${world.stateDir}/prompt.md`)
  })

  it('may come from the options of the plugin; what a project says wins', () => {
    const agent = create({ command: 'own {prompt}', args: ['-v'] })
    expect(agent.getLaunchCommand(world.launch({ prompt: 'go' }))).toEqual(['own', 'go', '-v'])
    const config = { command: 'other', args: [] }
    expect(agent.getLaunchCommand(world.launch({ config }))).toEqual(['other'])
  })

  it('is requested when there is none', () => {
    expect(() => command({})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('command') }),
    )
  })
})

describe('how the generic agent gets its task', () => {
  it.each([
    ['tool {prompt}', 'inline'],
    ['tool --file={promptFile}', 'inline'],
    ['tool --model {model}', 'post-launch'],
  ])('%s: %s', (text, delivery) => {
    expect(create({ command: text }).promptDelivery).toBe(delivery)
    expect(create().promptDeliveryFor?.({ command: text })).toBe(delivery)
  })
})

describe('the activity of the generic agent, from its screen', () => {
  const START = Date.parse('2026-11-15T01:15:40Z')
  const at = (seconds: number) => new Date(START + seconds * 1000)

  it('counts as work while the screen changes, then as ready, then as idle (S0.44 S0.45 S0.46)', async () => {
    const agent = create()
    const activityAt = async (screen: string, seconds: number) => {
      await agent.recordActivity!(world.session, screen, at(seconds))
      return (await agent.getActivityState(world.session, world.options(at(seconds))))?.state
    }
    expect(await activityAt('building 1', 0)).toBe('active')
    expect(await activityAt('building 2', 30)).toBe('active')
    expect(await activityAt('building 2', 60)).toBe('ready')
    expect(await activityAt('building 2', 331)).toBe('idle')
    expect(await activityAt('building 3', 361)).toBe('active')
  })

  it('S1.70 writes the same again only after 20 seconds, a question each time', async () => {
    const agent = create()
    const lines = async (screen: string, seconds: number[]) => {
      for (const second of seconds) await agent.recordActivity!(world.session, screen, at(second))
      const { readFileSync } = await import('node:fs')
      return readFileSync(`${world.workspacePath}/.ao/activity.jsonl`, 'utf8').trim().split('\n').length
    }
    expect(await lines('esc to interrupt', [0, 10, 19, 20])).toBe(2)
    expect(await lines('Continue? [y/N]', [21, 22])).toBe(4)
  })

  it('S0.37 one question has one time, however often it is seen and whatever ticks beside it; the next has its own', async () => {
    const agent = create()
    const activityAt = async (screen: string, seconds: number) => {
      await agent.recordActivity!(world.session, screen, at(seconds))
      const reading = await agent.getActivityState(world.session, world.options(at(seconds)))
      return `${reading?.state} ${reading?.timestamp?.toISOString()}`
    }
    const first = await activityAt('⠋ 1 s\nOverwrite a.txt? [y/N]', 0)
    expect(first).toBe(`waiting_input ${at(0).toISOString()}`)
    expect(await activityAt('⠙ 31 s\nOverwrite a.txt? [y/N]', 30)).toBe(first)
    expect(await activityAt('⠹ 4000 s\nOverwrite a.txt? [y/N]', 4_000)).toBe(first)
    expect(await activityAt('Overwrite b.txt? [y/N]', 4_030)).toBe(`waiting_input ${at(4_030).toISOString()}`)
    await activityAt('Overwrite b.txt? [y/N] y\nworking', 4_060)
    expect(await activityAt('Overwrite b.txt? [y/N]', 4_090)).toBe(`waiting_input ${at(4_090).toISOString()}`)
  })

  it('S0.37 a question is over as soon as a message was sent after it was seen', async () => {
    const agent = create()
    await agent.recordActivity!(world.session, 'Overwrite? [y/N]', at(0))
    const answered = { ...world.session, metadata: { ...world.session.metadata, lastMessageAt: at(5).toISOString() } }
    expect(await agent.getActivityState(answered, world.options(at(6)))).toBeNull()
    await agent.recordActivity!(answered, 'Overwrite? [y/N]', at(10))
    expect((await agent.getActivityState(answered, world.options(at(11))))?.state).toBe('waiting_input')
  })

  it('forgets what was seen before a launch', async () => {
    const agent = create()
    await agent.recordActivity!(world.session, 'Continue? [y/N]', new Date(Date.now() - 1000))
    await agent.prepare!(world.launch())
    expect(await agent.getActivityState(world.session, world.options(new Date()))).toBeNull()
  })

  it.each([
    ['Overwrite? [y/N]', 'waiting_input'],
    ['Proceed (y/n)', 'waiting_input'],
    ['Do you want to run this?\n1. Yes', 'waiting_input'],
    ['Press Enter to continue', 'waiting_input'],
    ['Thinking... (esc to interrupt)', 'active'],
    ['Do you want to continue? [y/N] ', 'waiting_input'],
    ['Would you like to save? (Y)es/(N)o/(A)ll [Yes]:', 'waiting_input'],
    ['╭──────╮\n│ Do you want to proceed? │\n│ ❯ 1. Yes │\n│   2. No │\n╰──────╯', 'waiting_input'],
    ['Run rm?\n  Allow once\n  Allow always\n  Reject\n\n enter to confirm, esc to cancel', 'waiting_input'],
    ['npm test\n12 passed', null],
    ['Do you want to continue? [y/N] y', null],
    ['Do you want to continue? [y/N] y\ngot y', null],
    ['Do you want to continue?\n1. Yes\n2. No\n> 1\nrunning', null],
    ['Overwrite? [y/N]\nyes, please\nwriting', null],
    ['Press Enter to continue\nworking on it (esc to interrupt)', 'active'],
  ])('S0.53 reads %j as %s', (screen, expected) => {
    expect(create().detectActivity(screen)).toBe(expected)
  })
})
