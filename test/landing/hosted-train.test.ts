// The train on forges elsewhere, with real git behind them: cars are pushed so that the forge's CI runs on them.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openRepository } from '../../src/git/repository.ts'
import { openGates } from '../../src/landing/checks/project-gates.ts'
import { canHostTrain, type HostedOptions } from '../../src/landing/hosted/hosted-train.ts'
import { openLedger } from '../../src/landing/hosted/ledger.ts'
import { hostedDeparture, hostedReport } from '../../src/landing/hosted/report-hosted.ts'
import { verifyHosted } from '../../src/landing/hosted/verify-hosted.ts'
import { openHostedRevert, readRedLog, watchHosted } from '../../src/landing/hosted/watch-hosted.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { readTrainReport } from '../../src/landing/train/train-report.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { forgejoScmWorld } from '../forges/forgejo-world.ts'
import type { HostedWorld } from '../forges/git-remote.ts'
import { githubScmWorld } from '../forges/github-world.ts'
import { gitlabScmWorld } from '../forges/gitlab-world.ts'
import { type Forge, startForge } from '../forges/start-forge.ts'
import { THOROUGH } from '../support/cover.ts'
import { git } from '../support/git-repo.ts'
import { testProgram } from '../support/test-program.ts'
import { createRide } from './hosted-ride.ts'

/** Each of them runs hundreds of gits. */
vi.setConfig({ testTimeout: 180_000 })

const FORGES = {
  github: { script: 'github-server.mjs', create: githubScmWorld },
  gitlab: { script: 'gitlab-server.mjs', create: gitlabScmWorld },
  forgejo: { script: 'forgejo-server.mjs', create: forgejoScmWorld },
}

describe.each(Object.entries(FORGES))('a train on %s', (name, { script, create }) => {
  let forge: Forge
  let world: HostedWorld
  beforeAll(async () => {
    forge = await startForge(script)
  }, 60_000)
  afterEach(() => world.cleanup())
  afterAll(() => forge?.stop())

  it('lands what is green together, lets the guilty one leave with its log, and leaves no branch behind', async () => {
    world = await create(forge)
    const one = await createRide(world, 'merge')
    // Opened later, and urgent.
    const [bad, good] = [await one.open('bad.txt'), await one.open('good.txt')]
    await world.label(good, ['urgent', 'feature'])
    expect(await one.ride()).toBe('done')
    expect(one.branches()).toEqual([String(bad), String(good)])
    const tested = one.treeOf(`ao/train/${good}`)
    await world.check(`ao/train/${good}`, 'unit', 'passed')
    await world.check(`ao/train/${bad}`, 'unit', 'failed', 'good and bad do not go together\n')
    expect(await one.ride()).toBe('done')
    expect(one.train().landed).toMatchObject([{ pull: good }])
    expect(one.treeOf('main')).toBe(tested)
    expect(await one.stateOf(good)).toBe('merged')
    // The second run is one of its own, on a commit of its own.
    expect(one.branches()).toEqual([String(bad)])
    await world.check(`ao/train/${bad}`, 'unit', 'failed', 'they really do not\n')
    expect(await one.ride()).toBe('done')
    const left = one.train().left[0]!
    expect(left).toMatchObject({ pull: bad, why: 'red', check: 'unit', ahead: [good] })
    expect(hostedDeparture(one.projectDir, { pull: bad, headSha: left.headSha })).toMatchObject({
      why: 'red',
      logTail: expect.stringContaining('they really do not'),
    })
    expect(one.branches()).toEqual([])
    expect(await world.readBase('bad.txt')).toBeNull()
  })

  // One forge is enough: what differs between them is tried by what is green together.
  const isChosen = THOROUGH || name === 'gitlab'
  it.runIf(isChosen)('lands a stack bottom up, and keeps an approval that was given for the same change', async () => {
    world = await create(forge)
    const one = await createRide(world, 'squash')
    const lower = await one.open('lower.txt')
    const upper = await one.open('upper.txt', 'upper\n', 'lower.txt')
    expect(await one.ride()).toBe('done')
    expect(one.branches()).toEqual([String(lower), String(upper)])
    for (const pull of [lower, upper]) await world.check(`ao/train/${pull}`, 'unit', 'passed')
    expect(await one.ride()).toBe('done')
    expect(one.train().landed.map(({ pull }) => pull)).toEqual([lower, upper])
    expect([await one.stateOf(upper), await world.readBase('upper.txt')]).toEqual(['merged', 'upper\n'])
    expect(one.train().left).toEqual([])
  })

  it.runIf(name === 'gitlab')(
    'boards the merge train of the forge, and lets go what is thrown out, with the reason',
    async () => {
      world = await create(forge)
      const { repo: project } = world.project
      const one = await createRide(world, 'merge')
      const pull = await one.open('a.txt')
      await forge.control({ op: 'request', project, iid: pull, values: { merge_train: true } })
      expect(await one.ride()).toBe('done')
      expect(await one.ride()).toBe('done')
      expect([one.branches(), one.train().riders.length, one.train().left]).toEqual([[], 1, []])
      await forge.control({ op: 'dequeue', project, iid: pull, reason: 'the pipeline failed' })
      await one.ride()
      const [left] = one.train().left
      expect(left).toMatchObject({ pull, why: 'refused', said: expect.stringMatching(/merge train.*pipeline failed/) })
      await one.ride()
      expect(one.train().riders).toEqual([])
    },
  )
})

describe('a train on a forge elsewhere', () => {
  let forge: Forge
  let world: HostedWorld
  beforeAll(async () => {
    forge = await startForge('github-server.mjs')
  }, 60_000)
  afterEach(() => world.cleanup())
  afterAll(() => forge?.stop())

  it('starts again when somebody pushes to the base branch, and lands through the forge where the branch is protected', async () => {
    world = await githubScmWorld(forge)
    await forge.control({ op: 'protect', repo: world.project.repo })
    const one = await createRide(world, 'squash')
    const pull = await one.open('a.txt')
    expect(await one.ride()).toBe('done')
    const before = one.treeOf(`ao/train/${pull}`)
    await world.check(`ao/train/${pull}`, 'unit', 'passed')
    await world.pushToBase('people.txt', 'meanwhile\n')
    expect(await one.ride()).toBe('done')
    expect(one.train().landed).toEqual([])
    const tested = one.treeOf(`ao/train/${pull}`)
    expect(tested).not.toBe(before)
    await world.check(`ao/train/${pull}`, 'unit', 'passed')
    expect(await one.ride()).toBe('done')
    expect([one.treeOf('main'), await one.stateOf(pull), one.branches()]).toEqual([tested, 'merged', []])
    expect(one.train().landed).toMatchObject([{ pull, commit: world.remote.tip('main') }])
  })

  it('says when the forge merged something that nobody had tested', async () => {
    world = await githubScmWorld(forge)
    const one = await createRide(world, 'squash')
    const pull = await one.open('a.txt')
    await one.ride()
    await world.check(`ao/train/${pull}`, 'unit', 'passed')
    // In the moment between the last look at the base branch and the merge: forges take no expected base.
    const { scm } = world
    if (!canHostTrain(scm)) throw new Error('no train there')
    const mergePR: typeof scm.mergePR = async (...args) => {
      await world.pushToBase('people.txt', 'meanwhile\n')
      return scm.mergePR(...args)
    }
    await one.ride({ scm: { ...scm, mergePR } })
    expect(one.train().landed).toMatchObject([{ pull, untested: expect.stringContaining('moved') }])
  })

  it('leaves branches alone that it did not push, and lets go what the forge refuses', async () => {
    world = await githubScmWorld(forge)
    const one = await createRide(world, 'squash')
    const [first, second] = [await one.open('a.txt'), await one.open('b.txt')]
    await world.push(`ao/train/${second}`, 'theirs.txt', 'theirs\n')
    const theirs = world.remote.tip(`ao/train/${second}`)
    await expect(one.ride()).rejects.toThrow(/did not push/)
    expect(world.remote.tip(`ao/train/${second}`)).toBe(theirs)
    git(world.remote.bare, world.env, 'update-ref', '-d', `refs/heads/ao/train/${second}`)
    await one.ride()
    const output = 'Required status check "ci" is expected.'
    await forge.control({ op: 'pull', repo: world.project.repo, number: first, refuseMerge: output })
    await world.check(`ao/train/${first}`, 'unit', 'passed')
    await world.check(`ao/train/${second}`, 'unit', 'passed')
    await one.ride()
    expect(one.train().left).toMatchObject([{ pull: first, why: 'refused', said: expect.stringContaining(output) }])
    expect(one.train().riders).toMatchObject([{ pull: second }])
  })

  it('says before the first car what is not allowed, and later which check never came', async () => {
    world = await githubScmWorld(forge)
    const one = await createRide(world, 'squash')
    await one.open('a.txt')
    const { scm } = world
    if (!canHostTrain(scm)) throw new Error('no train there')
    const rules = { hasQueue: false, isProtected: true, obstacles: ['the token may not push'] }
    const landing = { ...scm.landing, readRules: async () => rules }
    expect(await one.ride({ scm: { ...scm, landing } })).toBe('the token may not push')
    const nowhere = openRepository(world.remote.clone, { ...world.env, GIT_TERMINAL_PROMPT: '0' })
    git(world.remote.clone, world.env, 'remote', 'add', 'nowhere', '/nowhere.git')
    await expect(one.ride({ remote: { repository: nowhere, name: 'nowhere' } })).rejects.toThrow(/nowhere/)
    expect(one.branches()).toEqual([])
    await one.ride()
    const later = { now: () => new Date(Date.now() + 3_600_000) }
    expect(await one.ride({ clock: later })).toMatch(/waits for unit.*landing\.checks/)
  })

  it('asks for a rebase onto the green car where the base branch becomes that commit, and lets nothing land with it', async () => {
    world = await githubScmWorld(forge)
    await world.pushToBase('list.txt', 'one\ntwo\nthree\n')
    const one = await createRide(world, 'merge')
    const [first, second] = [await one.open('list.txt', 'one\nfirst\nthree\n'), await one.open('other.txt')]
    await world.push('feat/other.txt', 'list.txt', 'one\nsecond\nthree\n')
    await world.check('feat/other.txt', 'unit', 'passed')
    await world.review(second, { state: 'approved' })
    await one.ride()
    const car = world.remote.tip(`ao/train/${first}`)
    await world.check(`ao/train/${first}`, 'unit', 'passed')
    const offered: number[] = []
    await one.ride({ offer: async (pull) => void offered.push(pull) })
    expect([offered, one.train().left]).toMatchObject([
      [second],
      [{ pull: second, why: 'conflict', onto: { commit: car } }],
    ])
    expect(hostedDeparture(one.projectDir, { pull: second, headSha: one.train().left[0]!.headSha })).toMatchObject({
      why: 'conflict',
      onto: { commit: car, pulls: [first] },
    })
    expect([one.train().landed, world.remote.tip('main')]).toMatchObject([[{ pull: first, commit: car }], car])
  })

  it('asks only the next one of those in review that conflict, and says for whom the others wait', async () => {
    world = await githubScmWorld(forge)
    await world.pushToBase('list.txt', 'one\ntwo\nthree\n')
    const one = await createRide(world, 'merge')
    const pulls: number[] = []
    for (const name of ['a.txt', 'b.txt', 'c.txt']) {
      await world.push(`feat/${name}`, 'list.txt', `one\n${name}\nthree\n`)
      const pull = await one.open(name)
      await world.review(pull, { state: 'changes_requested' })
      pulls.push(pull)
    }
    await world.pushToBase('list.txt', 'one\nbase\nthree\n')
    const facts = (conflicts: boolean): Partial<HostedOptions> => ({
      collide: () => true,
      // As the forge says it after a while.
      async readPulls(queries) {
        const readings = await one.world.scm.readPullRequests!(queries, one.project)
        for (const reading of readings.values())
          if (reading.kind === 'read') Object.assign(reading.snapshot, { hasConflicts: conflicts })
        return readings
      },
    })
    await one.ride(facts(true))
    await one.ride(facts(true))
    expect(one.train().left.map(({ pull, why }) => [pull, why])).toEqual([[pulls[0], 'conflict']])
    const { waiting } = readTrainReport(hostedReport(one.projectDir), one.projectDir, one.project)
    expect(waiting.map(({ pull, why }) => [pull, why])).toEqual(
      pulls.slice(1).map((pull) => [pull, expect.stringContaining(`once #${pulls[0]}`)]),
    )
    expect(openLedger(one.projectDir).read().line).toEqual({ unseen: [] })
    // Where the train cannot run, each hears of its conflict by itself.
    const blocked = {
      ...one.world.scm.landing!,
      readRules: async () => ({ hasQueue: false, isProtected: false, obstacles: ['no'] }),
    }
    expect(
      await one.ride({ ...facts(true), scm: { ...one.world.scm, landing: blocked } as HostedOptions['scm'] }),
    ).toBe('no')
    expect(openLedger(one.projectDir).read().line).toBeUndefined()
  })

  it('runs the gates on the car too, beside the checks of the forge, and marks who changes its own checks', async () => {
    world = await githubScmWorld(forge)
    await world.pushToBase('test/a.test.ts', 'strict\n')
    const one = await createRide(world, 'merge', {
      pushProof: true,
      gates: [
        { name: 'own', run: 'echo "on $(git rev-parse HEAD)"; test ! -e bad.txt' },
        { name: 'size', maxFiles: 100 },
      ],
    })
    const gates = openGates({ ...one, env: world.env, requireTrust: () => undefined })
    const [good, bad] = [await one.open('test/a.test.ts', 'lax\n'), await one.open('bad.txt')]
    await one.ride({ gates })
    const report = () => readTrainReport(hostedReport(one.projectDir), one.projectDir, one.project).riders
    expect(report()).toMatchObject([
      { pull: good, state: 'testing', changedChecks: ['test/a.test.ts'] },
      { pull: bad, changedChecks: ['bad.txt'] },
    ])
    // Green for the gates is not enough.
    expect(one.train().landed).toEqual([])
    // Rules judge what each adds to the base branch.
    for (const { headSha } of one.train().riders)
      await gates!.run({ head: headSha, from: world.remote.tip('main'), signal: new AbortController().signal })
    await world.check(`ao/train/${good}`, 'unit', 'passed')
    await world.check(`ao/train/${bad}`, 'unit', 'passed')
    await one.ride({ gates })
    await world.check(`ao/train/${bad}`, 'unit', 'passed').catch(() => undefined)
    await one.ride({ gates })
    expect(one.train().landed).toMatchObject([{ pull: good }])
    const [left] = one.train().left
    expect(left).toMatchObject({ pull: bad, why: 'red', check: 'gate: own' })
    expect(hostedDeparture(one.projectDir, { pull: bad, headSha: left!.headSha, gates })).toMatchObject({
      logTail: expect.stringContaining('on '),
    })
    // What landed carries its proof, at home and on the remote, and the forge confirms it.
    const { scm, remote, env, project } = world
    if (!canHostTrain(scm)) throw new Error('no train there')
    const repository = openRepository(remote.clone, env)
    const { commit } = one.train().landed[0]!
    const verify = async () =>
      (await verifyHosted({ project, scm, repository, gates }, commit)).findings.map(
        ({ what, proven }) => `${what} ${proven}`,
      )
    const all = ['tree true', 'check unit true', 'check gate: own true', 'approval true']
    expect(await verify()).toEqual(all)
    // What a forge's CI found cannot be run here; the gates can.
    const place = {
      project: one.project,
      scm,
      repository,
      gates,
      rerun: { directory: join(one.projectDir, 'landing') },
    }
    const again = (await verifyHosted(place, commit)).findings.slice(all.length)
    expect(again.map(({ what, proven }) => `${what} ${proven}`)).toEqual([
      'check gate: own, run again true',
      'check gate: size, run again true',
    ])
    expect(git(remote.bare, env, 'notes', '--ref=ao/proof', 'show', commit)).toContain('test/a.test.ts')
    const note = JSON.parse(git(remote.clone, env, 'notes', '--ref=ao/proof', 'show', commit))
    const forged = {
      ...note,
      checks: note.checks.map((check: object) => ({ ...check, on: left!.headSha })),
      approvals: [],
    }
    git(remote.clone, env, 'notes', '--ref=ao/proof', 'add', '--force', '-m', JSON.stringify(forged), commit)
    expect(await verify()).toEqual(['tree true', 'check unit false', 'check gate: own false', 'approval false'])
  })

  it('watches the base branch after landings, and takes back what broke it with a pull request that boards first', async () => {
    world = await githubScmWorld(forge)
    const one = await createRide(world, 'merge', { watch: 'revert' })
    const { scm, remote, env } = world
    if (!canHostTrain(scm)) throw new Error('no train there')
    const origin = { repository: openRepository(remote.clone, env), name: 'origin' }
    const where = { project: one.project, projectDir: one.projectDir, scm, clock: systemClock, remote: origin }
    // Not known yet, then green.
    expect(await watchHosted(where)).toEqual({ green: null, red: null })
    await world.check('main', 'unit', 'passed')
    expect(await watchHosted(where)).toEqual({ green: remote.tip('main'), red: null })
    const pull = await one.open('a.txt')
    await one.ride()
    await world.check(`ao/train/${pull}`, 'unit', 'passed')
    await one.ride()
    const landed = remote.tip('main')
    // What passed on the car fails on the branch, and a person has pushed meanwhile.
    await world.check('main', 'unit', 'failed', 'broken\n')
    await world.pushToBase('people.txt', 'meanwhile\n')
    expect((await watchHosted(where))?.red).toBeNull()
    await world.check('main', 'unit', 'failed', 'broken\n')
    const red = (await watchHosted(where))?.red
    expect(red).toEqual({ commit: landed, check: 'unit', pull })
    expect(await readRedLog(where, landed, 'unit')).toContain('broken')
    const request = { commit: landed, check: 'unit', pull: { number: pull, title: 'Add a.txt' } }
    const made = await openHostedRevert(where, request)
    expect([made, await openHostedRevert(where, request)]).toMatchObject([{ isOpen: true }, made])
    const file = openTrainFile({ projectDir: one.projectDir, clock: systemClock })
    await file.append({ type: 'boarded', pull: made.number, headSha: made.headSha, by: 'ao, to repair', first: true })
    expect([await one.ride(), one.train().landed.length]).toEqual(['done', 1])
    await world.check(`ao/train/${made.number}`, 'unit', 'passed')
    expect([await one.ride(), one.train().left]).toEqual(['done', []])
    expect(await world.readBase('a.txt')).toBeNull()
    expect(await world.readBase('people.txt')).toBe('meanwhile\n')
  })

  it('boards the queue of a forge that has one, and lets go what is thrown out', async () => {
    world = await githubScmWorld(forge)
    const { repo } = world.project
    await forge.control({ op: 'queue', repo })
    const one = await createRide(world, 'squash')
    const pull = await one.open('a.txt')
    expect(await one.ride()).toBe('done')
    expect([one.branches(), one.train().riders.length]).toEqual([[], 1])
    expect(await one.ride()).toBe('done')
    expect(one.train().riders).toHaveLength(1)
    await forge.control({ op: 'dequeue', repo, number: pull, reason: 'failed_checks' })
    await one.ride()
    const [left] = one.train().left
    expect(left).toMatchObject({ pull, why: 'refused', said: 'removed from the merge queue: failed checks' })
    expect(hostedDeparture(one.projectDir, { pull, headSha: left!.headSha })).toMatchObject({ why: 'refused' })
    // Not again with this head.
    await one.ride()
    expect(one.train().riders).toEqual([])
  })

  const POINTS = [
    ['merge', 'train.car.pushed'],
    ['squash', 'train.landing.done'],
    ['merge', 'train.landing.done'],
    ['merge', 'train.car.announced'],
    ['squash', 'train.landing.announced'],
    ['merge', 'train.landed'],
    ['squash', 'train.branch.removed'],
  ] as const

  it.each(THOROUGH ? POINTS : POINTS.slice(0, 1))(
    'killed with %s at %s, the next ride continues',
    async (method, point) => {
      world = await githubScmWorld(forge)
      const one = await createRide(world, method)
      const pull = await one.open('a.txt')
      const base = world.remote.tip('main')
      const given = { project: one.project, projectDir: one.projectDir, apiUrl: forge.url, method, pulls: [pull] }
      const tested: string[] = []
      let killed = 0
      for (let ride = 0; ride < 8 && (one.train().landed.length === 0 || one.branches().length > 0); ride++) {
        // Killed at its first time there, and never again.
        const failpoint = killed === 0 ? { AO_FAILPOINT: point } : {}
        const { signal, stderr, status } = await run([SCRIPT, JSON.stringify(given)], { ...world.env, ...failpoint })
        if (signal === 'SIGKILL') killed++
        else expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
        if (!one.branches().includes(String(pull))) continue
        tested.push(one.treeOf(`ao/train/${pull}`))
        await world.check(`ao/train/${pull}`, 'unit', 'passed')
      }
      expect(killed).toBe(1)
      const added = git(world.remote.bare, world.env, 'log', '--first-parent', '--format=%T', `${base}..main`).split(
        '\n',
      )
      expect(added).toEqual([tested.at(-1)])
      expect(new Set(tested).size).toBe(1)
      expect(one.train()).toMatchObject({ riders: [], left: [], landed: [{ pull, commit: world.remote.tip('main') }] })
      expect([await one.stateOf(pull), one.branches()]).toEqual(['merged', []])
    },
  )
})

const SCRIPT = testProgram('ride-hosted')

/** Beside the forge, which this process has to answer for. */
function run(
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ signal: string | null; status: number | null; stderr: string }> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise((resolve) => child.once('close', (status, signal) => resolve({ status, signal, stderr })))
}
