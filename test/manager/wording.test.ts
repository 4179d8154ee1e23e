// A message that begins like a command of the agent arrives as text, unless --raw declares it to be one.
import { afterEach, expect, it } from 'vitest'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
afterEach(() => world.cleanup())

async function spawnWith(commands: Record<string, 'space' | 'mark' | 'refuse'>, dropsInvisible = false) {
  world = await createFakeWorld({
    agent: {
      inputCommands: commands,
      ...(dropsInvisible ? { dropsInvisible: true as const } : {}),
      hasSeen: async () => true,
    },
  })
  await world.manager.spawn({ projectId: 'my-app', prompt: 'work' })
}

const typed = () => world.sent.map(({ text }) => text)

it.each([
  ['!ls', { '!': 'space' }, ' !ls'],
  ['/quit', { '/': 'mark' }, '\u200b/quit'],
  ['say !ls', { '!': 'space' }, 'say !ls'],
] as const)('%j is entered as %j', async (text, commands, entered) => {
  await spawnWith(commands)
  expect(await world.manager.deliver('my-app-1', text)).toMatchObject({ level: 'seen' })
  expect(typed()).toEqual([entered])
})

it('--raw is entered as it is, and no record is waited for', async () => {
  await spawnWith({ '/': 'refuse' })
  const receipt = await world.manager.deliver('my-app-1', '/compact', { raw: true })
  expect(receipt).toMatchObject({ level: 'handed_over', why: expect.stringContaining('entered as it is') })
  expect(typed()).toEqual(['/compact'])
})

it('what cannot be text is refused with the reason, before it is queued', async () => {
  await spawnWith({ '/': 'refuse' })
  await expect(world.manager.deliver('my-app-1', '/quit')).rejects.toMatchObject({
    code: 'MESSAGE_REFUSED',
    hint: expect.stringContaining('--raw'),
  })
  expect(typed()).toEqual([])
  const session = await world.manager.get('my-app-1')
  expect(session?.metadata.messagesOnTheWay).toBeUndefined()
})

it('invisible marks are left out for an agent that would wait for a second Enter', async () => {
  await spawnWith({}, true)
  await world.manager.deliver('my-app-1', 'a\u202eb\u202c')
  expect(typed()).toEqual(['ab'])
})
