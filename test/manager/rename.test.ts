import { afterEach, expect, it } from 'vitest'
import { toSessionJson } from '../../src/cli/print/session-json.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld

afterEach(() => world.cleanup())

it('S1.43 a name that a person gives stays, in one line, until they reset it', async () => {
  world = await createFakeWorld()
  const { id } = await world.manager.spawn({ projectId: 'my-app', prompt: 'Fix the flaky login test\nand the other' })
  const title = async () => toSessionJson((await world.manager.get(id))!).title
  expect(await title()).toBe('Fix the flaky login test')
  expect(await world.manager.rename(id, '  The\tlogin\n\u001b[31mtest ')).toBe('The login [31mtest')
  expect(await title()).toBe('The login [31mtest')
  await world.manager.kill(id, { keepWorkspace: true })
  expect(await title()).toBe('The login [31mtest')
  expect(await world.manager.rename(id, null)).toBe(null)
  expect(await title()).toBe('Fix the flaky login test')
})

it('an empty or endless name is refused, and so is a session that is not there', async () => {
  world = await createFakeWorld()
  const { id } = await world.manager.spawn({ projectId: 'my-app', prompt: 'x' })
  await expect(world.manager.rename(id, ' \n ')).rejects.toMatchObject({ code: 'USAGE' })
  await expect(world.manager.rename(id, 'x'.repeat(201))).rejects.toMatchObject({ code: 'USAGE' })
  await expect(world.manager.rename('app-99', 'x')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})
