// Steps after a landing: once for each landed commit, and never twice by themselves after a crash.
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { readIfThere } from '../../src/lib/plain-file.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process, agent: demo }
reactions: { approved-and-green: { auto: true } }
projects:
  app:
    path: .
    agentConfig: { permissions: skip }
    scm: local
    landing:
      after:
        - { name: deploy, run: 'git rev-parse HEAD >> "$HOME/deployed"; echo deployed' }
        - { name: notify, run: 'git rev-parse HEAD >> "$HOME/notified"', retry: true }
`

const WORK = 'demo: write one.txt done\ndemo: commit one\ndemo: pr one\ndemo: finish done'

let world: AoWorld

beforeAll(() => buildAo(), 60_000)
beforeEach(async () => {
  world = createAoWorld({ config: CONFIG })
  await world.agree()
})
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})

interface Shown {
  landing: { commit: string; pull: number; steps: Array<{ name: string; state: string; log: string }> }
}
const lines = (name: string) => (readIfThere(join(world.temp.home, name)) ?? '').split('\n').filter(Boolean)
const states = async () => {
  const { landing } = await world.json<Partial<Shown>>(['land', 'why'])
  return landing?.steps.map(({ name, state }) => `${name} ${state}`).join(', ') ?? 'nothing'
}
const until = (wanted: string) =>
  waitFor(
    wanted,
    async () => {
      const shown = await states()
      return shown === wanted || Promise.reject(new Error(shown))
    },
    60_000,
  )

it('run once; one that a crash cut off is for a person, who runs it again', async () => {
  // Seen before anything lands, so that nothing earlier counts.
  expect((await world.ao(['start'], { env: { AO_FAILPOINT: 'after.ended' } })).code).toBe(0)
  git(world.repo, world.temp.env, 'commit', '--quiet', '--allow-empty', '-m', 'by hand, on the base branch')
  expect((await world.ao(['spawn', '--prompt', WORK])).code).toBe(0)
  await waitFor('it is approved', async () => {
    const done = await world.ao(['pr', 'review', '1', '--approve'])
    return done.code === 0 || Promise.reject(new Error(done.stderr))
  })
  // The loop dies at the moment at which the step has ended and nothing says so.
  await waitFor('the first step', () => lines('deployed').length === 1 || Promise.reject(new Error('not yet')), 60_000)
  expect(await states()).toBe('deploy running, notify waiting')
  await world.ao(['stop'])
  expect((await world.ao(['start'])).code).toBe(0)
  await until('deploy interrupted, notify waiting')
  expect(lines('deployed')).toHaveLength(1)
  expect((await world.ao(['land', 'retry'])).stdout).toContain('deploy')
  await until('deploy done, notify done')
  const { landing } = await world.json<Shown>(['land', 'why'])
  expect(lines('deployed')).toEqual([landing.commit, landing.commit])
  expect(lines('notified')).toEqual([landing.commit])
  expect(landing.steps[0]?.log).toContain('deployed')
  expect((await world.ao(['land', 'ls'])).stdout).toContain('notify: done')
})
