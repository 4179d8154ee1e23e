// A message is never an approval: what is sent to an agent that shows a dialog is held, and delivered once when it is gone.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../src/contract/events.ts'
import type { SendReceipt } from '../../src/contract/session.ts'
import { cover } from '../support/cover.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const TUI = join(import.meta.dirname, '..', 'fixtures', 'tui-dialog.mjs')
const YES = 'Yes'
const NO = 'No, and say what to do instead'

let world: AoWorld

beforeAll(() => buildAo(), 120_000)
beforeEach(() => {
  world = createAoWorld({ config: '' })
})
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

const logFile = () => join(world.temp.home, 'tui.jsonl')
const noted = () => {
  const lines = readFileSync(logFile(), 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as { pid?: number; text?: string; chose?: string; isAsked?: true })
}
const messages = () => noted().flatMap(({ text }) => text ?? [])
const chosen = () => noted().flatMap(({ chose }) => chose ?? [])
const signal = (name: NodeJS.Signals) => process.kill(noted()[0]!.pid!, name)

async function start(runtime: string, flags: string[] = [], top = ''): Promise<void> {
  await configure(runtime, flags, top)
  const spawned = await world.ao(['spawn'])
  expect(spawned.stdout).toContain('without a task: it waits for its first message')
  expect(spawned.code, spawned.stderr).toBe(0)
  await waitFor('the agent', () => noted().length > 0)
}

async function configure(runtime: string, flags: string[] = [], top = ''): Promise<void> {
  const command = JSON.stringify([process.execPath, TUI, `--log=${logFile()}`, ...flags])
  const config = `${top}defaults: { runtime: ${runtime}, notifiers: [] }\nprojects:\n  app:\n    path: .\n    agent: generic\n    agentConfig: { command: ${command} }\n`
  writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), config)
  await world.agree()
}

async function ask(): Promise<void> {
  const before = noted().filter(({ isAsked }) => isAsked).length
  signal('SIGUSR1')
  await waitFor('the question', () => noted().filter(({ isAsked }) => isAsked).length > before)
}

const send = async (text: string, ...flags: string[]) =>
  (await world.json<{ receipt: SendReceipt }>(['send', 'app-1', text, '--no-wait', ...flags])).receipt

async function history(): Promise<SessionEvent[]> {
  const { session } = await world.json<{ session: { history: SessionEvent[] } }>([
    'session',
    'show',
    'app-1',
    '-n',
    'all',
  ])
  return session.history
}

const RUNTIMES = ['tmux', 'process']
const AGENTS: Array<[where: string, flags: string[]]> = [
  ['a digit only marks it', ['--digits-only-mark']],
  ['the agent is slow to mark it', ['--digits-only-mark', '--slow-digits=2500']],
  ['the agent is slow to take it', ['--slow-digits=2500']],
]

it.each(cover(AGENTS, RUNTIMES).map(([[where, flags], runtime]) => ({ where, flags, runtime })))(
  'ao session deny reaches the option that says no in $runtime, also where $where',
  async ({ flags, runtime }) => {
    await start(runtime, flags)
    await ask()
    expect(await world.json(['session', 'deny', 'app-1'])).toMatchObject({ code: 0, decision: 'reject-once' })
    expect(chosen()).toEqual([NO])
  },
)

describe.each(RUNTIMES)('in the runtime %s', (runtime) => {
  it('holds a message while a dialog is open, says so, and delivers it once after ao session approve', async () => {
    await start(runtime)
    expect(await send('first')).toMatchObject({ level: 'handed_over' })
    // Enter was pressed; an agent that asks before it has read that would take it for the answer.
    await waitFor('the first message', () => messages().length > 0)
    await ask()
    const held = await world.ao(['send', 'app-1', 'second'])
    expect(held).toMatchObject({ code: 0, stdout: expect.stringContaining('held for app-1: it waits for an answer') })
    expect(held.stdout).toContain('Do you want to proceed?')
    expect(held.stderr).toContain('ao session approve app-1')
    expect(await send('third')).toMatchObject({ level: 'held' })
    expect([messages(), chosen()]).toEqual([['first'], []])

    const approved = await world.json<{ decision: string; title: string }>(['session', 'approve', 'app-1'])
    expect(approved).toMatchObject({ code: 0, decision: 'allow-once', title: expect.stringContaining('important') })
    await waitFor('the messages', () => messages().length === 3)
    expect([messages(), chosen()]).toEqual([['first', 'second', 'third'], [YES]])
    expect(await send('fourth')).toMatchObject({ level: 'handed_over' })
    await waitFor('the fourth message', () => messages().length === 4)
    expect(messages()).toEqual(['first', 'second', 'third', 'fourth'])
    expect((await world.ao(['session', 'approve', 'app-1'])).code).toBe(5)
  })

  it('presses no Enter when the dialog comes up after the text, and delivers that text once', async () => {
    await start(runtime, ['--ask-after-paste'])
    expect(await send('hello')).toMatchObject({ level: 'held' })
    expect([messages(), chosen()]).toEqual([[], []])
    expect(await history()).toContainEqual(expect.objectContaining({ type: 'message.held', entered: true }))
    await world.ao(['session', 'deny', 'app-1'])
    await waitFor('the message', () => messages().length > 0)
    expect([messages(), chosen()]).toEqual([['hello'], [NO]])
  })
})

describe('a dialog that only the configuration knows', () => {
  const dialog = '{ question: "Shall I * now", approve: [a, enter], deny: [escape] }'
  const top = `plugins: { agent: { name: generic, config: { dialogs: [${dialog}] } } }\n`

  it.each([
    ['approve', YES],
    ['deny', NO],
  ])('holds messages, and ao session %s presses its keys', async (answer, choice) => {
    await start('tmux', ['--words=Shall I rename 3 files now'], top)
    await ask()
    expect(await send('hello')).toMatchObject({ level: 'held' })
    expect([messages(), chosen()]).toEqual([[], []])
    expect(await world.ao(['session', answer, 'app-1'])).toMatchObject({ code: 0 })
    await waitFor('the message', () => messages().length > 0)
    expect([messages(), chosen()]).toEqual([['hello'], [choice]])
  })
})

describe('held messages', () => {
  it('are delivered by ao start when the question is gone, one of a reaction like one of a person', async () => {
    await start('tmux')
    const started = await world.ao(['start'])
    expect(started.code, started.stderr).toBe(0)
    await ask()
    expect(await send('from a person')).toMatchObject({ level: 'held' })
    signal('SIGUSR2')
    await waitFor('the message', () => messages().length > 0, 20_000)
    expect([messages(), chosen()]).toEqual([['from a person'], []])
  })

  it('are withdrawn when the session is killed', async () => {
    await start('tmux')
    await ask()
    const { messageId } = await send('too late')
    expect((await world.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    expect(await history()).toContainEqual(expect.objectContaining({ type: 'message.withdrawn', messageId }))
    expect([messages(), chosen()]).toEqual([[], []])
  })

  it('a person may answer in words what only looks like a question, but never a dialog', async () => {
    await start('tmux')
    await ask()
    expect(await send('yes please', '--answer')).toMatchObject({ level: 'held' })
    expect([messages(), chosen()]).toEqual([[], []])
  })
})

describe('kill -9 of ao send', () => {
  it.each([
    ['send.queued', ['one', 'two']],
    ['send.entering', ['one', 'two']],
    // Enter was about to be pressed, and this agent keeps no records: that is recorded, and nothing is sent twice.
    ['send.submitting', ['two']],
    ['send.submitted', ['one', 'two']],
  ])('at %s loses and doubles nothing', async (point, expected) => {
    await start('tmux')
    const crashed = await world.ao(['send', 'app-1', 'one', '--no-wait'], { env: { AO_FAILPOINT: point } })
    expect(crashed.signal).toBe('SIGKILL')
    expect(await send('two')).toMatchObject({ level: 'handed_over' })
    await waitFor('the last message', () => messages().includes('two'))
    expect(messages()).toEqual(expected)
  })
})

describe('an interrupted ao spawn whose agent takes its prompt as a message', () => {
  const tasks = () => messages().filter((text) => text.includes('Paint it blue'))
  const spawn = ['spawn', '--prompt', 'Paint it blue']

  it.each(['spawn.runtime-started', 'spawn.recorded', 'send.queued'])(
    'killed at %s, gives it its task once',
    async (point) => {
      await configure('process')
      expect((await world.ao(spawn, { env: { AO_FAILPOINT: point } })).signal).toBe('SIGKILL')
      if (point === 'spawn.recorded')
        expect((await world.ao(['why', 'app-1'])).stdout).toContain('it has not been given its first prompt')
      expect((await world.ao(['doctor', '--fix'])).stdout).toContain('app-1')
      await send('And then?')
      await waitFor('the task', () => tasks().length > 0 && messages().at(-1) === 'And then?')
      expect(tasks()).toHaveLength(1)
      expect((await world.ao(['why', 'app-1'])).stdout).not.toContain('it has not been given its first prompt')
    },
  )

  it('is looked after by a running loop', async () => {
    await configure('tmux', [], 'port: 0\nlifecycle: { pollSeconds: 1 }\n')
    expect((await world.ao(['start'])).code).toBe(0)
    expect((await world.ao(spawn, { env: { AO_FAILPOINT: 'spawn.recorded' } })).signal).toBe('SIGKILL')
    await waitFor('the task', () => tasks().length > 0, 40_000)
    expect(tasks()).toHaveLength(1)
  })
})
