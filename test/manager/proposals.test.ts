import { afterEach, expect, it } from 'vitest'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld

afterEach(() => world.cleanup())

it('an agent has at most twenty proposals that nobody has decided about; a person and other agents have their own', async () => {
  world = await createFakeWorld({ others: ['web'] })
  const propose = (by?: string, project = 'my-app') =>
    world.manager.propose({ project, issueId: null, text: '[{"key":"a","title":"A"}]', by })
  const { id } = await propose('my-app-1')
  for (let count = 1; count < 20; count++) await propose('my-app-1', count % 2 ? 'web' : 'my-app')
  const full = { code: 'STATE_REFUSED', message: expect.stringContaining('has 20 undecided proposals') }
  await expect(propose('my-app-1')).rejects.toMatchObject(full)
  await expect(propose('my-app-1', 'web')).rejects.toMatchObject(full)
  await expect(propose('my-app-2')).resolves.toMatchObject({ by: 'my-app-2' })
  await expect(propose()).resolves.toMatchObject({ state: 'proposed' })
  await world.manager.discardProposal(id)
  await expect(propose('my-app-1')).resolves.toMatchObject({ state: 'proposed' })
  await expect(propose('my-app-1')).rejects.toMatchObject(full)
})
