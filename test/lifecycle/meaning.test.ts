// The radar of meaning: branches that git merges, and that fail together.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { recordOf } from '../../src/contract/record.ts'
import { openRepository } from '../../src/git/repository.ts'
import { sweepUnions } from '../../src/landing/radar/run-union.ts'
import { keepMeaning } from '../../src/lifecycle/landing/keep-meaning.ts'
import { storedSessions } from '../../src/manager/active.ts'
import { gatesOf } from '../../src/manager/observe/gates.ts'
import { THOROUGH } from '../support/cover.ts'
import { git } from '../support/git-repo.ts'
import {
  bystander,
  CALLS_OLD,
  createMeaningScene,
  type Files,
  type MeaningScene,
  RENAMES,
  tryDay,
} from './meaning-scene.ts'

describe('the radar of meaning', () => {
  let scene: MeaningScene | null = null
  afterEach(async () => {
    await scene?.world.cleanup()
    scene = null
  })
  const create = async (...[branches, options]: Parameters<typeof createMeaningScene>) => {
    scene = await createMeaningScene(branches, options)
    return scene
  }
  const leftovers = ({ projectDir, project, world }: MeaningScene) => [
    ...readdirSync(join(projectDir, 'radar', 'ci')).filter((name) => name !== 'lock'),
    ...git(project.path, world.env, 'worktree', 'list').split('\n').slice(1),
  ]

  it('names the pair with its test, marks both cards, sends one message, and leaves the train nothing to run', async () => {
    const { world, ids, observe, runs, project } = await create([bystander(1), RENAMES, bystander(2), CALLS_OLD])
    const [, renames = '', , calls = ''] = ids
    const found = await observe()
    expect(found).toMatchObject([{ a: renames, b: calls, check: 'gate: test', test: 'basket.mjs loads' }])
    expect(found[0]!.log).toContain("does not provide an export named 'total'")
    const marks = storedSessions(world.loop.context, 'my-app').map((one) => recordOf(one).meets?.[0])
    expect(marks.map((mark) => [mark?.with, mark?.fails])).toEqual([
      [undefined, undefined],
      [calls, 'basket.mjs loads'],
      [undefined, undefined],
      [renames, 'basket.mjs loads'],
    ])
    await world.tick()
    await observe()
    await world.tick()
    const warned = ids.map(
      (id) =>
        world.store
          .readHistory(id)
          .events.filter((one) => 'source' in one && one.source === 'collision' && one.type === 'message.queued')
          .length,
    )
    expect(warned).toEqual([0, 0, 0, 1])
    // What was run is what the train reads.
    const before = runs()
    const { context } = world.loop
    const gates = gatesOf(context, project, await context.registry.find('scm', 'fake'))!
    const tree = git(project.path, world.env, 'rev-parse', `${found[0]!.commit}^{tree}`)
    expect([1, 2].map((attempt) => gates.onCars(attempt)!.resultOf(tree)?.state)).toEqual(['failed', 'failed'])
    expect(gates.onCars(1)!.log(tree, 'gate: test', 1_000)).toContain('not ok')
    expect([await observe(), runs()]).toEqual([found, before])
    expect(leftovers(scene!)).toEqual([])
  })

  it('forgets a pair when one of the two is mended, and runs only what is new', async () => {
    const { ids, observe, commit, runs } = await create([RENAMES, CALLS_OLD])
    expect(await observe()).toHaveLength(1)
    const before = runs()
    commit(ids[1]!, { 'src/basket.mjs': "import * as all from './index.mjs'\nif (!all) throw new Error('wrong')\n" })
    expect([await observe(), runs() - before]).toEqual([[], 1])
  })

  it('reads no result again while nothing has moved, and finds a lost list of pairs again', async () => {
    const { observe, projectDir, runs } = await create([RENAMES, CALLS_OLD])
    const found = await observe()
    rmSync(join(projectDir, 'radar', 'red.json'))
    expect(await observe()).toEqual(found)
    const before = runs()
    rmSync(join(projectDir, 'landing', 'gates-1', 'checks'), { recursive: true })
    expect([await observe(), runs() - before]).toEqual([found, 0])
  })

  it('runs nothing while the machine is busy, without consent, or where it is off', async () => {
    const busy = await create([RENAMES, CALLS_OLD])
    expect([await busy.observe(() => ({ load: 1.6 })), busy.runs()]).toEqual([[], 0])
    expect([await busy.observe(() => ({ foreground: 0.6 })), busy.runs()]).toEqual([[], 0])
    await busy.world.cleanup()
    const untrusted = await create([RENAMES, CALLS_OLD], { agree: false })
    await expect(untrusted.observe()).rejects.toMatchObject({ code: 'CONFIG_UNTRUSTED' })
    expect(untrusted.runs()).toBe(0)
    await untrusted.world.cleanup()
    const off = await create([RENAMES, CALLS_OLD], { yaml: 'gates: [{ name: test, run: node check.mjs }]' })
    expect([await off.observe(), off.runs()]).toEqual([[], 0])
  })

  it('stops a run when others need the machine, and leaves no process, checkout or result', async () => {
    const hangs: Files = { ...CALLS_OLD, 'src/a.mjs': 'await new Promise(() => setInterval(() => 0, 1e9))\n' }
    const { observe, projectDir, runs } = await create([RENAMES, hangs])
    let samples = 0
    // Busy once the check runs, whatever else is slow here.
    expect(await observe(() => ({ foreground: ++samples > 1 && runs() > 0 ? 0.9 : 0 }))).toEqual([])
    expect(runs()).toBe(1)
    expect(leftovers(scene!)).toEqual([])
    expect(existsSync(join(projectDir, 'landing', 'gates-1', 'checks'))).toBe(false)
  })

  it('says nothing of a check that hangs, and does not try the same heads again', async () => {
    const hangs: Files = { 'src/a.mjs': "import './index.mjs'\nawait new Promise(() => setInterval(() => 0, 1e9))\n" }
    const { observe, runs, projectDir } = await create([RENAMES, hangs], {
      yaml: 'gates: [{ name: test, run: node check.mjs, timeout: 1 }]\nradar: { meaning: true }',
    })
    expect(await observe()).toEqual([])
    const before = runs()
    expect([await observe(), runs()]).toEqual([[], before])
    expect(existsSync(join(projectDir, 'landing', 'gates-1', 'checks'))).toBe(false)
  })

  it('does not run the work of an agent in a place, and survives refs and names that are traps', async () => {
    const traps: Files = {
      'src/$(touch x).mjs': "import '../../../../../etc/passwd'\n",
      'src/-rf.mjs': "import './prices.mjs'\n",
    }
    const { world, ids, observe, runs, project } = await create([RENAMES, CALLS_OLD, traps])
    await world.store.update(ids[1]!, { place: 'box' })
    const broken = world.store.read(ids[2]!)!.record.branch!
    expect(await observe()).toEqual([])
    const before = runs()
    expect(before).toBeGreaterThan(0)
    git(
      project.path,
      world.env,
      'update-ref',
      `refs/heads/${broken}`,
      git(project.path, world.env, 'rev-parse', 'main'),
    )
    expect([await observe(), runs()]).toEqual([[], before])
  })

  it.each(['ci.announced', 'ci.checked-out'])('leaves nothing behind when it is killed at %s', async (point) => {
    const made = await create([RENAMES, CALLS_OLD])
    const { project, projectDir, world } = made
    const script = `
      const { runUnion } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/landing/radar/run-union.ts'))})
      const { openRepository } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/git/repository.ts'))})
      const { createCheckStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/landing/checks/check-store.ts'))})
      const repository = openRepository(${JSON.stringify(project.path)}, process.env)
      const gates = { programs: [{ name: 'test', run: 'true', timeoutMs: 1000 }], resultOf: () => null, requireTrust() {},
        store: () => createCheckStore({ projectDir: ${JSON.stringify(projectDir)} }), host: { project: {}, context: { env: process.env }, repository: () => repository } }
      const commit = ${JSON.stringify(git(project.path, world.env, 'rev-parse', 'main'))}
      await runUnion({ projectDir: ${JSON.stringify(projectDir)}, repository, gates, commit, tree: commit, attempt: 1, signal: new AbortController().signal })`
    const env = { ...world.env, AO_FAILPOINT: point }
    const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env,
      encoding: 'utf8',
    })
    expect([signal, stderr]).toEqual(['SIGKILL', expect.anything()])
    expect(readFileSync(join(projectDir, 'radar', 'ci', 'run'), 'utf8')).toContain('radar-')
    await sweepUnions(projectDir, openRepository(project.path, world.env))
    expect(leftovers(made)).toEqual([])
    // A loop that is not to run anything does the same.
    await keepMeaning(
      world.loop,
      { ...project, radar: { meaning: false } },
      new AbortController().signal,
      async () => undefined,
    )
  })

  it.runIf(THOROUGH)(
    'names exactly the pair among 20 branches, for 20 orders of them',
    { timeout: 1_800_000 },
    async () => {
      for (let seed = 1; seed <= 20; seed++) {
        const { wanted, found } = await tryDay(seed)
        expect([seed, found]).toEqual([seed, [wanted]])
      }
    },
  )
})
