// The train of a project on GitHub as users have it: `ao start` carries an approved pull request over a red car to the base
// branch. Played in `npm run test:thorough`; the parts are tested in test/landing/hosted-train.test.ts each time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { THOROUGH } from '../support/cover.ts'
import { git } from '../support/git-repo.ts'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { createGithubSession } from './github-session.ts'
import { type Forge, startForge } from './start-forge.ts'

describe.runIf(THOROUGH)('a session on GitHub whose project has a train', () => {
  let forge: Forge
  beforeAll(async () => {
    buildAo()
    forge = await startForge('github-server.mjs')
  }, 120_000)
  afterAll(() => forge?.stop())

  it('hears of a red car with its log, repairs it, and lands as it was tested', async () => {
    const yaml = ['landing: { mode: train, method: merge }']
    const world = await createGithubSession(forge, { file: 'answer.txt', content: 'bad\n', yaml })
    const { ao, bare, pull, check, review, work } = world
    try {
      const ask = (...args: string[]) => ao.run(args, { GITHUB_TOKEN: 'token-acme' })
      expect(ask('doctor').stdout).toContain('cars go to ao/train/*; to main tested commits are pushed')
      const tip = (ref: string) => git(bare, ao.env, 'for-each-ref', '--format=%(objectname)', `refs/heads/${ref}`)
      const car = `ao/train/${pull.number}`
      const nextCar = async (before: string) => {
        await waitFor('a car', () => tip(car) !== '' && tip(car) !== before, 30_000)
        return tip(car)
      }
      await check('unit', world.head, 'success')
      await review('maria', 'APPROVE')
      world.startLoop()
      const first = await nextCar('')
      await check('unit', first, 'failure', 'AssertionError: 41 is not 42')
      const second = await nextCar(first)
      expect(git(bare, ao.env, 'rev-parse', `${second}^{tree}`)).toBe(git(bare, ao.env, 'rev-parse', `${first}^{tree}`))
      await check('unit', second, 'failure', 'AssertionError: 41 is not 42')
      // Alone on the train: the base branch itself is tried before anyone is blamed.
      await waitFor('the base branch to be tried', () => tip('ao/train/base') !== '', 30_000)
      await check('unit', tip('ao/train/base'), 'success')
      await world.hears('AssertionError: 41 is not 42')
      expect(ask('land', 'ls').stdout).toMatch(/#\d+ left .* ago: a check failed \(unit/)

      await world.stopLoop('SIGKILL')
      const head = work('good\n')
      await check('unit', head, 'success')
      await review('maria', 'APPROVE')
      world.startLoop()
      const third = await nextCar(second)
      await check('unit', third, 'success')
      await world.becomes('merged')
      expect(tip('main')).toBe(third)
      await waitFor('the branches of the train to go', () => tip('ao/train/*') === '', 30_000)
      expect(ask('land', 'ls').stdout).toMatch(/landed #\d+ as/)
    } finally {
      await world.stopLoop('SIGTERM')
      expect(await ao.cleanup()).toEqual([])
    }
  }, 120_000)
})
