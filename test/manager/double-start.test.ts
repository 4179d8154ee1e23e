// Two processes that start the same work: it begins once, and nobody reports a failure that there was not.
import { afterEach, expect, it } from 'vitest'
import { agreeToAll } from '../support/agree.ts'
import { waitFor } from '../support/wait-for.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld

afterEach(() => world.cleanup())

it('a schedule that a person is starting is not started by the loop meanwhile', async () => {
  const released = Promise.withResolvers<void>()
  let questions = 0
  world = await createFakeWorld({
    projectYaml: "tracker: fake\nschedules: { tidy: { when: '0 0 1 1 *', issue: '7', prompt: work } }",
    tracker: {
      async getIssue(id) {
        questions += 1
        await released.promise
        return { id, title: 'Tidy', description: '', url: '', state: 'open', labels: [] }
      },
    },
  })
  await agreeToAll(world.config, { home: world.temp.home, env: world.env })
  const byHand = world.manager.runSchedule('my-app', 'tidy')
  await waitFor('the start', async () => questions === 1)
  expect(await world.another().startDue('my-app', 'tidy')).toBeNull()
  released.resolve()
  await byHand
  expect(await world.another().startDue('my-app', 'tidy')).toBeNull()
  expect((await world.manager.list()).map(({ id }) => id)).toEqual(['my-app-1'])
})

it('a try that the loop has started first counts as started', async () => {
  const last = 'my-app-5'
  let isOther = false
  world = await createFakeWorld({
    workspace: {
      async create(spec) {
        if (spec.sessionId === 'my-app-1' && !isOther) {
          isOther = true
          await world.another().startWaiting(last, { by: 'the loop' })
        }
        const path = `${world.temp.home}/ws/my-app/${spec.sessionId}`
        return { path, branch: spec.branch, sessionId: spec.sessionId, projectId: 'my-app', branchCreated: true }
      },
    },
  })
  const members = Array.from({ length: 5 }, () => ({ project: 'my-app' }))
  const started = await world.manager.spawnTask({
    ...{ kind: 'best', project: 'my-app', members },
    request: { prompt: 'work' },
  })
  expect(started.failed).toEqual([])
  expect(world.launches).toHaveLength(5)
})
