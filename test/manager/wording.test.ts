// A message that begins like a command of the agent arrives as text, unless --raw declares it to be one.
import { readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { AoError } from '../../src/contract/errors.ts'
import type { Runtime } from '../../src/slots/runtime.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
afterEach(() => world.cleanup())

async function spawnWith(inputCommands: string | undefined, dropsInvisible = false) {
  world = await createFakeWorld({
    agent: {
      ...(inputCommands !== undefined && { inputCommands }),
      ...(dropsInvisible ? { dropsInvisible: true as const } : {}),
      hasSeen: async () => true,
    },
  })
  await world.manager.spawn({ projectId: 'my-app', prompt: 'work' })
}

const typed = () => world.sent.map(({ text }) => text)

it.each([
  ['!ls', '!', 'Message: !ls'],
  ['#12 is done', '!/', '#12 is done'],
  ['#12 is done', undefined, 'Message: #12 is done'],
  ['exit', '!/', 'Message: exit'],
  ['a path C:\\', '!/', 'a path C:\\ '],
  ['say !ls', '!', 'say !ls'],
] as const)('%j, where %j begins a command, is entered as %j', async (text, commands, entered) => {
  await spawnWith(commands)
  expect(await world.manager.deliver('my-app-1', text)).toMatchObject({ level: 'seen' })
  expect(typed()).toEqual([entered])
})

it('--raw is entered as it is, and no record is waited for', async () => {
  await spawnWith('/')
  const receipt = await world.manager.deliver('my-app-1', '/compact', { raw: true })
  expect(receipt).toMatchObject({ level: 'handed_over', why: expect.stringContaining('sent verbatim') })
  expect(typed()).toEqual(['/compact'])
})

it('what the terminal would cut is not delivered, with the reason, and does not wait', async () => {
  const why = 'the agent reads its terminal line by line'
  world = await createFakeWorld({
    runtime: {
      sendMessage: async () => {
        throw new AoError('MESSAGE_REFUSED', why)
      },
    },
  })
  await world.manager.spawn({ projectId: 'my-app' })
  expect(await world.manager.deliver('my-app-1', 'long')).toMatchObject({ level: 'undelivered', why })
  const session = await world.manager.get('my-app-1')
  expect(session?.metadata.messagesOnTheWay).toBeUndefined()
})

it('a message that may be in the input line already is not entered again once the records show it', async () => {
  let isSeen = false
  let times = 0
  world = await createFakeWorld({
    agent: { hasSeen: async (_session, text) => text !== 'once' || isSeen },
    runtime: {
      sendMessage: async () => {
        times++
        throw new AoError('RUNTIME_FAILED', 'tmux did not finish in time', { details: { pasted: null } })
      },
    },
  })
  await world.manager.spawn({ projectId: 'my-app' })
  expect(await world.manager.deliver('my-app-1', 'once')).toMatchObject({ level: 'held' })
  isSeen = true
  expect(await world.manager.deliverHeld('my-app-1')).toMatchObject([{ level: 'seen' }])
  expect(times).toBe(1)
})

it('invisible marks are left out for an agent that would wait for a second Enter', async () => {
  await spawnWith('!/', true)
  await world.manager.deliver('my-app-1', 'a\u202eb\u202c')
  expect(typed()).toEqual(['ab'])
})

describe('a message that is longer than the agent’s input line takes', () => {
  const long = 'A long message. '.repeat(100)

  async function spawnWithLimit(records: (text: string) => boolean, runtime: Partial<Runtime> = {}) {
    world = await createFakeWorld({
      agent: {
        inputCommands: '!/',
        typedLimit: 1_000,
        hasSeen: async (_session, text) => text.includes('a git worktree') || records(text),
      },
      runtime,
    })
    await world.manager.spawn({ projectId: 'my-app' })
  }

  it('is put into a file that the typed line names, and seen when the records show that line', async () => {
    await spawnWithLimit((text) => typed().some((line) => line.includes(text)))
    const receipt = await world.manager.deliver('my-app-1', long)
    const file = `.ao/messages/${receipt.messageId}.md`
    expect(receipt).toMatchObject({ level: 'seen', note: `its text is in ${file}` })
    expect(typed()).toEqual([
      `Read the file ${file} now: it is a message to you from the user, too long for this input line.`,
    ])
    const session = await world.manager.get('my-app-1')
    expect(readFileSync(join(session!.workspacePath!, file), 'utf8')).toBe(long)
  })

  it('is not seen when the records show something else', async () => {
    await spawnWithLimit((text) => 'Read the file .ao/messages/another.md'.includes(text))
    const receipt = await world.manager.deliver('my-app-1', long, { timeoutMs: 0 })
    expect(receipt).toMatchObject({ level: 'handed_over', note: expect.stringContaining('its text is in') })
  })

  it('is not delivered, with the reason, where the agent has put a link in the way', async () => {
    await spawnWithLimit(() => true)
    const session = await world.manager.get('my-app-1')
    const directory = join(session!.workspacePath!, '.ao')
    rmSync(directory, { recursive: true, force: true })
    symlinkSync(world.temp.home, directory)
    expect(await world.manager.deliver('my-app-1', long)).toMatchObject({
      level: 'undelivered',
      why: expect.stringContaining('too long to be typed'),
    })
    expect(typed()).toEqual([])
  })

  it('is put into a file of the workspace in its place, before the line that names it is typed', async () => {
    const written: string[][] = []
    const writeMessage = async (...argv: [unknown, string, string]) => {
      expect(typed()).toEqual([])
      written.push(argv.slice(1) as string[])
    }
    const elsewhere = { readAgent: (_handle: unknown, agent: unknown) => agent, writeMessage }
    await spawnWithLimit(() => true, { elsewhere: elsewhere as never })
    const receipt = await world.manager.deliver('my-app-1', `${long}\u0007`)
    expect(receipt).toMatchObject({ level: 'seen', note: expect.stringContaining('1 control character was removed') })
    expect(written).toEqual([[receipt.messageId, long]])
    expect(typed()).toHaveLength(1)
  })

  it('is not delivered, with the reason, when its place does not take the file', async () => {
    const writeMessage = async () => {
      throw new AoError('MESSAGE_REFUSED', 'its place did not take it as a file: this host has no POST /message')
    }
    const elsewhere = { readAgent: (_handle: unknown, agent: unknown) => agent, writeMessage }
    await spawnWithLimit(() => true, { elsewhere: elsewhere as never })
    const receipt = await world.manager.deliver('my-app-1', long)
    expect(receipt).toMatchObject({ level: 'undelivered', why: expect.stringContaining('did not take it as a file') })
    expect(typed()).toEqual([])
  })

  it('is refused in a place that takes no files, before it is queued', async () => {
    await spawnWithLimit(() => true, { elsewhere: { readAgent: (_handle: unknown, agent: unknown) => agent } as never })
    await expect(world.manager.deliver('my-app-1', long)).rejects.toThrow(/ao cannot put a file into its place/)
    expect(typed()).toEqual([])
  })

  it('is typed when it is sent verbatim', async () => {
    await spawnWithLimit(() => false)
    await world.manager.deliver('my-app-1', long, { raw: true })
    expect(typed()).toEqual([long])
  })
})

it('says how many control characters were removed, and looks in the records for what is left', async () => {
  const looked: string[] = []
  world = await createFakeWorld({
    agent: {
      hasSeen: async (_session, text) => {
        looked.push(text)
        return true
      },
    },
  })
  await world.manager.spawn({ projectId: 'my-app' })
  const receipt = await world.manager.deliver('my-app-1', 'red \u001b[31mtext\u0007 here\r\n')
  expect(receipt).toMatchObject({ level: 'seen', note: '2 control characters were removed' })
  expect(looked.at(-1)).toBe('red [31mtext here\n')
  expect(await world.manager.deliver('my-app-1', 'plain\r\ntext\t')).not.toHaveProperty('note')
})
