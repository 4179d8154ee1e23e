// The train over a real repository and the local forge: what lands was tested as it landed.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changedChecksOf } from '../../src/forge/proof/changed-checks.ts'
import { verifyCommit } from '../../src/forge/proof/verify-commit.ts'
import { localReport } from '../../src/forge/train/local-train.ts'
import { readDeparture } from '../../src/forge/train/read-departure.ts'
import { runTrain, type TrainOptions } from '../../src/forge/train/run-train.ts'
import { commitsOf } from '../../src/landing/proof/landed-commits.ts'
import { withObstacle } from '../../src/landing/train/ride-files.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { readTrainReport } from '../../src/landing/train/train-report.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'
import { testProgram } from '../support/test-program.ts'

/** Every run of the check leaves its tree in a file. a.txt and b.txt do not go together, and BAD never does. */
const CHECK = [
  'git rev-parse HEAD^{tree} >> "$HOME/runs"',
  'test ! -e a.txt || test ! -e b.txt || { echo "a and b do not mix"; exit 1; }',
  'if grep -qr BAD --include=*.txt .; then exit 1; fi',
  'if test -e flaky.txt && ! test -e "$HOME/flaked"; then touch "$HOME/flaked"; exit 1; fi',
].join('\n')
const OPTIONS = { ci: { commands: [{ name: 'test', run: CHECK }] } }

describe('the train', () => {
  let world: ForgeWorld
  let projectDir: string
  beforeEach(() => {
    world = createForgeWorld({ config: OPTIONS })
    projectDir = projectDirectory(world.context, world.project.id)
  })
  afterEach(() => world.cleanup())

  /** Approved and green by itself. */
  const pull = async (file: string, content = `${file}\n`) => {
    const branch = `feat/${file}`
    await world.push(branch, file, content)
    const { number } = await world.openPR({ branch, title: `Add ${file}` })
    await world.check(branch, 'test', 'passed', 'fine\n')
    await world.review(number, { state: 'approved' })
    return number
  }
  const options = (more: Partial<TrainOptions> = {}): TrainOptions => ({
    forge: world.forge,
    projectDir,
    rule: { batch: 3, order: 'fifo', priority: [] },
    method: 'squash',
    collide: () => false,
    signal: new AbortController().signal,
    say: () => undefined,
    ...more,
  })
  const ride = (more: Partial<TrainOptions> = {}) => runTrain(options(more))
  const train = () => openTrainFile({ projectDir, clock: systemClock })
  const runs = () =>
    existsSync(join(world.temp.home, 'runs'))
      ? readFileSync(join(world.temp.home, 'runs'), 'utf8').trim().split('\n')
      : []
  const filesOnMain = () => world.git('ls-tree', '--name-only', 'main').split('\n')
  const treesOnMain = () => world.git('log', '--first-parent', '--format=%T', 'main').split('\n')

  it('lands what fits together, each as it was tested; a car that is red with those ahead leaves alone', async () => {
    const numbers = [await pull('a.txt'), await pull('b.txt'), await pull('c.txt'), await pull('d.txt')]
    expect(await ride()).toEqual({ kind: 'done' })
    expect(filesOnMain()).toEqual(['README.md', 'a.txt', 'c.txt', 'd.txt'])
    const state = train().read()
    expect(state.landed.map((one) => one.pull)).toEqual([1, 3, 4])
    expect(state.left.map(({ pull, why, check }) => [pull, why, check])).toEqual([[2, 'red', 'test']])
    expect(numbers.map((number) => world.forge.pulls.read(number)!.state)).toEqual([
      'merged',
      'open',
      'merged',
      'merged',
    ])
    // Everything but the first commit was tested exactly as it is, and no tree twice: the second run of the failure was one
    // behind the others.
    for (const tree of treesOnMain().slice(0, -1))
      expect([...runs(), world.git('rev-parse', 'feat/a.txt^{tree}')]).toContain(tree)
    const counts = [...Map.groupBy(runs(), (tree) => tree).values()].map((list) => list.length)
    expect(counts.filter((count) => count > 1)).toEqual([])
    const failure = readDeparture(world.forge, { projectDir, pull: 2, headSha: world.git('rev-parse', 'feat/b.txt') })
    expect(failure).toMatchObject({ why: 'red', check: 'test' })
    expect(failure?.why === 'red' && failure.logTail).toContain('a and b do not mix')
    expect(failure?.why === 'red' && world.git('cat-file', '-t', failure.commit)).toBe('commit')
    const check = (commit: string, rerun = false) =>
      verifyCommit(world.forge, { directory: join(projectDir, 'landing'), commit, rerun })
    const proven = async (commit: string, rerun = false) =>
      (await check(commit, rerun)).findings.map(({ what, proven }) => `${what} ${proven}`)
    const all = ['tree true', 'check test true', 'approval true']
    const commits = await commitsOf(world.forge, 'main~3..main')
    expect(await Promise.all(commits.map((commit) => proven(commit)))).toEqual([all, all, all])
    expect(await proven(commits[0]!, true)).toEqual([...all, 'check test, run again true'])
    expect(await proven(world.git('rev-parse', 'main~3'))).toEqual(['proof false'])
    // A note that somebody else wrote proves nothing: its claims are compared with commit, logs and reviews.
    const forged = JSON.stringify({
      ...(await check(commits[1]!)).proof,
      checks: [{ name: 'test', status: 'passed', log: 'x' }],
      approvals: [],
    })
    world.git('notes', '--ref=ao/proof', 'add', '--force', '-m', forged, commits[0]!)
    expect(await proven(commits[0]!)).toEqual(['commit false', 'tree false', 'check test false', 'approval false'])
    // It comes back with another head.
    world.git('branch', '--force', 'feat/b.txt', 'feat/c.txt')
    await world.push('feat/b.txt', 'e.txt', 'e\n')
    await world.check('feat/b.txt', 'test', 'passed')
    await world.review(2, { state: 'approved' })
    await ride()
    expect(world.forge.pulls.read(2)!.state).toBe('merged')
  })

  it('a flaky check costs nobody the ride and is counted; what is removed, paused or red on main stays', async () => {
    await pull('flaky.txt')
    await pull('c.txt')
    await train().append({ type: 'paused', by: 'sam' })
    expect(await ride()).toEqual({ kind: 'done' })
    expect(filesOnMain()).toEqual(['README.md'])
    const ofTwo = { pull: 2, headSha: world.git('rev-parse', 'feat/c.txt') }
    for (const event of [
      { type: 'left', why: 'removed' },
      { type: 'boarded', by: 'sam' },
      { type: 'preferred', by: 'sam', front: 'next' },
    ] as const)
      await train().append({ ...event, ...ofTwo })
    // It is aboard again, so it did not leave, and it goes first before the train has moved.
    const { riders: waiting, left } = readTrainReport(localReport(world.forge), projectDir, world.project)
    expect([waiting.map((one) => one.pull), left]).toEqual([[2, 1], []])
    await train().append({ type: 'resumed', by: 'sam' })
    // Main has moved meanwhile, so that nothing is tested as it was.
    await world.pushToBase('new.md', 'new\n')
    await train().append({ type: 'left', pull: 2, headSha: world.git('rev-parse', 'feat/c.txt'), why: 'removed' })
    await ride()
    expect(filesOnMain()).toEqual(['README.md', 'flaky.txt', 'new.md'])
    expect([train().read().flaky.length, train().read().riders]).toEqual([1, []])
    await world.pushToBase('broken.txt', 'BAD\n')
    await train().append({ type: 'boarded', pull: 2, headSha: world.git('rev-parse', 'feat/c.txt'), by: 'sam' })
    await ride()
    expect(train().read().stopped).toMatchObject({ base: world.git('rev-parse', 'main'), check: 'test' })
    const report = (later = 0) =>
      readTrainReport(localReport(world.forge), projectDir, world.project, Date.now() + later)
    const { riders, idle } = report()
    expect(riders.map(({ pull }) => pull)).toEqual([2])
    // Asked again and again, what the day was spent on is counted once a minute.
    expect(report(1_000).idle.spent).toBe(idle.spent)
    expect(report(61_000).idle.spent).not.toBe(idle.spent)
    await world.pushToBase('broken.txt', 'fine\n')
    await ride()
    expect(filesOnMain()).toContain('c.txt')
  })

  it('two processes never run two trains, and a push to main in between makes the cars start again', async () => {
    await pull('a.txt')
    await pull('c.txt')
    await world.pushToBase('one.md', 'one\n')
    const both = Promise.all([ride(), ride()])
    await world.pushToBase('two.md', 'two\n')
    expect((await both).map(({ kind }) => kind).sort()).toEqual(['busy', 'done'])
    expect(filesOnMain()).toEqual(['README.md', 'a.txt', 'c.txt', 'one.md', 'two.md'])
    for (const tree of treesOnMain().slice(0, 2)) expect(runs()).toContain(tree)
  })

  it('killed at any point, the next one finishes: nothing lost, nothing twice, nothing untested', async () => {
    await world.pushToBase('one.md', 'one\n')
    const start = (point?: string) => {
      const given = {
        project: world.project,
        dataDir: world.context.dataDir,
        configDir: world.context.configDir,
        options: OPTIONS,
      }
      const env = { ...world.temp.env, USER: 'sam', ...(point ? { AO_FAILPOINT: point } : {}) }
      return spawnSync(process.execPath, [testProgram('run-train'), JSON.stringify(given)], { env, encoding: 'utf8' })
    }
    // What an earlier one left in a place that nobody needs now is removed: the world's cleanup counts worktrees.
    world.git('worktree', 'add', '--quiet', '--detach', join(projectDir, 'landing/slot-2/ci/work'), 'main')
    const points = ['ci.checked-out', 'merge.moved']
    for (const [index, point] of points.entries()) {
      const number = await pull(`file${index}.txt`)
      // What its own CI has seen is not what would land.
      await world.pushToBase('one.md', `${index}\n`)
      expect([point, start(point).signal]).toEqual([point, 'SIGKILL'])
      const { stderr } = start()
      expect([point, stderr, world.forge.pulls.read(number)!.state]).toEqual([point, '', 'merged'])
      expect([point, train().read().riders]).toEqual([point, []])
    }
    expect(filesOnMain()).toEqual(['README.md', ...points.map((_, index) => `file${index}.txt`), 'one.md'])
    const landed = train()
      .read()
      .landed.map(({ commit }) => world.git('rev-parse', `${commit}^{tree}`))
    expect([landed.length, landed.filter((tree) => !runs().includes(tree))]).toEqual([points.length, []])
  })

  it('knows a script that CI runs as one of the checks, although no gate names it', async () => {
    await world.pushToBase('ci.sh', 'exit 1\n')
    await world.push('feat/ci', 'ci.sh', 'exit 0\n')
    const pair = { base: world.git('rev-parse', 'main'), head: world.git('rev-parse', 'feat/ci') }
    const ci = [{ name: 'test', run: 'sh ./ci.sh', timeoutMs: 1_000 }]
    expect(await changedChecksOf({ ...world.forge, options: { ...world.forge.options, ci } }, pair)).toEqual(['ci.sh'])
  })

  it('names the base branch for a conflict with it, not the car that happens to be ahead', async () => {
    await world.pushToBase('list.txt', 'one\ntwo\nthree\n')
    const numbers = [await pull('z.txt'), await pull('list.txt', 'one\nTWO by second\nthree\n')]
    await train().append({ type: 'paused', by: 'Ann' })
    await ride()
    expect(train().read().riders).toMatchObject(numbers.map((number) => ({ pull: number })))
    await world.pushToBase('list.txt', 'one\nTWO on main\nthree\n')
    await train().append({ type: 'resumed', by: 'Ann' })
    await ride()
    const { left, landed } = train().read()
    expect(landed).toMatchObject([{ pull: 1 }])
    expect(left).toMatchObject([{ pull: 2, why: 'conflict', files: ['list.txt'], onto: { cars: [] } }])
  })

  it('asks for a rebase onto the green car ahead, waits until that has landed, and solves the same conflict by itself later', async () => {
    await world.pushToBase('list.txt', 'one\ntwo\nthree\n')
    await pull('list.txt', 'one\nTWO by first\nthree\n')
    const second = 'feat/second'
    world.git('branch', second, 'main')
    const push = async (content: string) => {
      await world.push(second, 'list.txt', content)
      await world.check(second, 'test', 'passed')
      await world.review(2, { state: 'approved' })
    }
    await world.push(second, 'list.txt', 'one\nTWO by second\nthree\n')
    await world.openPR({ branch: second, title: 'Second' })
    await push('one\nTWO by second!\nthree\n')
    const before = world.git('rev-parse', second)
    // The first one is green and cannot land yet: main is checked out with changes.
    world.git('switch', '--quiet', 'main')
    writeFileSync(join(world.repo, 'README.md'), 'being edited\n')
    const offered: string[] = []
    const offer = async (_pull: number, commit: string) => void offered.push(commit)
    expect(await ride({ offer })).toMatchObject({ kind: 'blocked' })
    const left = train().read().left[0]!
    expect(left).toMatchObject({ pull: 2, why: 'conflict', files: ['list.txt'], onto: { cars: [{ pull: 1 }] } })
    expect(offered).toEqual([left.onto!.commit])
    expect(readDeparture(world.forge, { projectDir, pull: 2, headSha: before })).toMatchObject({
      why: 'conflict',
      onto: { commit: left.onto!.commit, pulls: [1] },
    })
    // It is built on the first one now, approved and green, and still does not land before it.
    world.git('branch', '--force', second, left.onto!.commit)
    await push('one\nTWO by both\nthree\n')
    expect(await ride()).toMatchObject({ kind: 'blocked' })
    expect(train().read().riders).toMatchObject([{ pull: 1 }])
    world.git('checkout', '--', 'README.md')
    await ride()
    expect(train().read().landed).toMatchObject([{ pull: 1, commit: left.onto!.commit }, { pull: 2 }])
    expect(existsSync(join(world.repo, '.git/rr-cache'))).toBe(false)
    // The same two changes meet again, the other way round: that was solved before.
    await world.pushToBase('list.txt', 'one\ntwo\nthree\n')
    world.git('branch', 'feat/third', 'main')
    world.git('branch', 'feat/fourth', 'main')
    for (const [name, text] of [
      ['third', 'TWO by second!'],
      ['fourth', 'TWO by first'],
    ] as const) {
      await world.push(`feat/${name}`, 'list.txt', `one\n${text}\nthree\n`)
      const { number } = await world.openPR({ branch: `feat/${name}`, title: name })
      await world.check(`feat/${name}`, 'test', 'passed')
      await world.review(number, { state: 'approved' })
    }
    const tested = runs().length
    await ride()
    expect(world.git('show', 'main:list.txt')).toBe('one\nTWO by both\nthree')
    expect([train().read().landed.length, runs().at(-1)]).toEqual([4, world.git('rev-parse', 'main^{tree}')])
    expect(runs().length).toBeGreaterThan(tested)
  })

  const kept = () =>
    withObstacle({ directory: train().directory, signal: new AbortController().signal }, async () => {
      const outcome = await ride()
      if (outcome.kind === 'blocked') throw new Error(outcome.why)
    })
  const report = () => readTrainReport(localReport(world.forge), projectDir, world.project)

  it("git's lock on the index of the checkout holds up nothing for long, and the report has the command for it", async () => {
    await pull('a.txt')
    world.git('switch', '--quiet', 'main')
    const lock = join(world.repo, '.git', 'index.lock')
    writeFileSync(lock, '')
    await expect(kept()).rejects.toMatchObject({ code: 'GIT_FAILED' })
    expect(report().obstacle).toMatch(new RegExp(`remove it: rm '${lock}'$`))
    rmSync(lock)
    await kept()
    expect([report().obstacle, existsSync(join(world.repo, 'a.txt'))]).toEqual([null, true])
  })

  it('a base branch checked out with changes is left alone, and said so', async () => {
    await pull('a.txt')
    world.git('switch', '--quiet', 'main')
    writeFileSync(join(world.repo, 'README.md'), 'being edited\n')
    await expect(kept()).rejects.toThrow('not clean')
    const { obstacle, riders } = report()
    expect(obstacle).toContain('not clean')
    // Nothing is being tested.
    expect(riders).toMatchObject([{ pull: 1, state: 'waiting', eta: { text: `unknown: ${obstacle}` } }])
    world.git('checkout', '--', 'README.md')
    await kept()
    expect(report().obstacle).toBeNull()
    expect(readFileSync(join(world.repo, 'a.txt'), 'utf8')).toBe('a.txt\n')
  })
})
