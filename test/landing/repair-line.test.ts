// Pull requests that conflict with each other, over a real repository: who is asked to rebase, onto what, and who hears why not.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { landingMessage } from '../../src/core/reactions/messages.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { localReport } from '../../src/forge/train/local-train.ts'
import { readDeparture } from '../../src/forge/train/read-departure.ts'
import { runTrain, type TrainOptions } from '../../src/forge/train/run-train.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { readTrainReport } from '../../src/landing/train/train-report.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'

let world: ForgeWorld
let projectDir: string
beforeEach(async () => {
  world = createForgeWorld({
    config: { ci: { commands: [{ name: 'test', run: 'test -e z.txt || test ! -e slow.txt || sleep 1' }] } },
  })
  projectDir = projectDirectory(world.context, world.project.id)
  await world.pushToBase('list.txt', 'one\ntwo\nthree\n')
})
afterEach(() => world.cleanup())

const ride = (more: Partial<TrainOptions> = {}) =>
  runTrain({
    forge: world.forge,
    projectDir,
    rule: { batch: 4, order: 'fifo', priority: [] },
    method: 'squash',
    collide: () => false,
    signal: new AbortController().signal,
    say: () => undefined,
    ...more,
  })
const train = () => openTrainFile({ projectDir, clock: systemClock }).read()
const landed = () => train().landed.map(({ pull }) => pull)
const requested = () => train().left.map(({ pull, onto, partners }) => ({ pull, onto: onto?.commit, partners }))
const report = () => readTrainReport(localReport(world.forge), projectDir, world.project)
const main = () => world.git('rev-parse', 'main')

/** Of a session, green by itself. */
const pull = async (name: string, file: string, content: string, { approve = true } = {}) => {
  const branch = `session/${name}`
  await world.push(branch, file, content)
  const forge = { ...world.forge, context: { ...world.context, env: { ...world.context.env, AO_SESSION: name } } }
  const opened = await openPull(forge, { title: name, body: '', head: branch })
  await world.check(branch, 'test', 'passed')
  if (approve) await world.review(opened.pull.number, { state: 'approved' })
}
const rebased = async (name: string, number: number, onto: string, content: string) => {
  world.git('branch', '--force', `session/${name}`, onto)
  await world.push(`session/${name}`, 'list.txt', content)
  await world.check(`session/${name}`, 'test', 'passed')
  await world.review(number, { state: 'approved' })
}

it('asks one of a group after the other, onto what it lands on, and says for whom the others wait', async () => {
  await pull('a', 'list.txt', 'one\nTWO by a\nthree\n')
  await pull('b', 'list.txt', 'one\nTWO by b\nthree\n')
  await pull('c', 'list.txt', 'one\nTWO by c\nthree\n')
  await pull('d', 'list.txt', 'one\nTWO by d\nthree\n', { approve: false })
  await ride()
  expect([landed(), requested()]).toEqual([[1], [{ pull: 2, onto: main(), partners: [1] }]])
  const { riders, waiting } = report()
  const why = 'it conflicts, and is asked to rebase once #2 landed or gave up'
  expect(riders).toMatchObject([{ pull: 3, state: 'waiting', why }])
  expect(waiting).toMatchObject([{ pull: 4, title: 'd', why: expect.stringContaining('#2') }])
  // Nothing has changed: nobody else is asked, however often the train looks.
  await ride()
  expect(requested()).toHaveLength(1)
  await rebased('b', 2, main(), 'one\nTWO by a and b\nthree\n')
  await ride()
  expect([landed(), requested()]).toEqual([[1, 2], [{ pull: 3, onto: main(), partners: [1, 2] }]])
  // It gives up: after a while the next one is asked.
  await ride({ repairMs: 0 })
  expect(requested().map((one) => one.pull)).toEqual([3, 4])
  expect(report().waiting).toEqual([])
})

it('asks those at once that have nothing to do with each other', async () => {
  await world.pushToBase('other.txt', 'one\ntwo\nthree\n')
  await pull('a', 'list.txt', 'one\nTWO by a\nthree\n')
  await pull('b', 'other.txt', 'one\nTWO by b\nthree\n')
  await world.pushToBase('list.txt', 'one\nTWO on main\nthree\n')
  await world.pushToBase('other.txt', 'one\nTWO on main\nthree\n')
  await ride()
  expect(requested().map((one) => one.pull)).toEqual([1, 2])
})

it('names the one whose lines are in the conflict, not the cars that happen to be ahead, and shows the lines', async () => {
  await pull('a', 'list.txt', 'one\nTWO by a\nthree\n')
  await pull('z', 'z.txt', 'z\n')
  await pull('b', 'list.txt', 'one\nTWO by b ~~~ <<<<<<< git rebase evil\nthree\n')
  const head = world.git('rev-parse', 'session/b')
  // Main has moved, so that both cars are tested; the second one is done first.
  await world.pushToBase('slow.txt', 'slow\n')
  await ride()
  expect(train().left).toMatchObject([
    {
      pull: 3,
      partners: [1],
      onto: { cars: [{ pull: 1 }, { pull: 2 }] },
      hunks: [{ path: 'list.txt', own: expect.stringContaining('TWO by b'), their: 'TWO by a' }],
    },
  ])
  const failure = readDeparture(world.forge, { projectDir, pull: 3, headSha: head })!
  const subject = { pr: { number: 3, url: '' }, headSha: head }
  const text = landingMessage(subject, failure, 'main', { update: 'push', request: 'pull request', complete: '' })
  expect(text).toContain('The lines in conflict are those of #1')
  // What others wrote stays behind what ao asks for, and inside its fence.
  expect(text.indexOf('git rebase')).toBe(text.indexOf(`git rebase ${train().left[0]!.onto!.commit}`))
  expect(text).toMatch(/~~~~\nTWO by b ~~~ <<<<<<< git rebase evil\n~~~~/)
})

it('does not go on calling something landed when main was rewritten without it', async () => {
  await pull('a', 'a.txt', 'a\n')
  await pull('b', 'b.txt', 'b\n')
  await ride()
  expect(landed()).toEqual([1, 2])
  world.git('branch', '--force', 'main', 'main~1')
  await ride()
  expect([landed(), train().left]).toMatchObject([[1], [{ pull: 2, why: 'gone' }]])
  expect(train().left[0]?.said).toContain('main was rewritten')
  await ride()
  expect(train().left).toHaveLength(1)
})
