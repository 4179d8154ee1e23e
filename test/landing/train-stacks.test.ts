// Stacks on the train of the local forge: bottom up in one ride, and only what stands on a car that left leaves with it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MergeMethod } from '../../src/contract/forges.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { runTrain } from '../../src/forge/train/run-train.ts'
import { addsTheSame } from '../../src/landing/make-merge-commit.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'

const CHECK = 'if grep -qr BAD --include=*.txt .; then exit 1; fi'

let world: ForgeWorld
let projectDir: string
beforeEach(() => {
  world = createForgeWorld({ config: { ci: { commands: [{ name: 'test', run: CHECK }] } } })
  projectDir = projectDirectory(world.context, world.project.id)
})
afterEach(() => world.cleanup())

const ride = (method: MergeMethod = 'squash') =>
  runTrain({
    forge: world.forge,
    projectDir,
    rule: { batch: 4, order: 'fifo', priority: [] },
    method,
    collide: () => false,
    signal: new AbortController().signal,
    say: () => undefined,
  })
const train = () => openTrainFile({ projectDir, clock: systemClock }).read()
const landed = () => train().landed.map(({ pull }) => pull)

/** Of a session, approved and green by itself, on the branch of another one. */
const pull = async (name: string, { on, content = `${name}\n`, approve = true, ...more }: Wanted = {}) => {
  const branch = `session/${name}`
  await world.push(branch, `${name}.txt`, content, on && `session/${on}`)
  const env = more.session === null ? world.context.env : { ...world.context.env, AO_SESSION: name }
  const forge = { ...world.forge, context: { ...world.context, env } }
  const base = on && `session/${on}`
  const opened = await openPull(forge, { title: name, body: '', head: branch, base })
  await world.check(branch, 'test', 'passed', 'fine\n')
  if (approve) await world.review(opened.pull.number, { state: 'approved' })
  return opened.pull.number
}

interface Wanted {
  on?: string
  content?: string
  approve?: boolean
  session?: null
}

describe('a stack', () => {
  it.each<MergeMethod>(['merge', 'squash', 'rebase'])('lands bottom up in one ride by %s', async (method) => {
    await pull('a')
    await pull('b', { on: 'a' })
    await pull('c', { on: 'b' })
    await pull('other')
    expect(await ride(method)).toEqual({ kind: 'done' })
    expect(landed().filter((one) => one < 4)).toEqual([1, 2, 3])
    expect(world.forge.pulls.list().map(({ state, base }) => [state, base])).toEqual(Array(4).fill(['merged', 'main']))
    expect(world.git('ls-tree', '--name-only', 'main').split('\n')).toEqual([
      'README.md',
      'a.txt',
      'b.txt',
      'c.txt',
      'other.txt',
    ])
    if (method !== 'merge') expect(world.git('log', '--format=%s', 'main').split('\n')).toHaveLength(5)
  })

  it('leaves with a car that left, and nothing else does', async () => {
    await pull('a', { content: 'BAD\n' })
    await pull('b', { on: 'a' })
    await pull('c', { on: 'b' })
    await pull('other')
    // Nothing is tested as it was.
    await world.pushToBase('new.md', 'new\n')
    await ride()
    expect(landed()).toEqual([4])
    expect(
      train()
        .left.map(({ pull, why }) => [pull, why])
        .sort(),
    ).toEqual([
      [1, 'red'],
      [2, 'unready'],
      [3, 'unready'],
    ])
    expect(world.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['README.md', 'new.md', 'other.txt'])
  })

  it('never lands before what it stands on, and never in a branch that has landed', async () => {
    await pull('a', { approve: false })
    await pull('b', { on: 'a' })
    await ride()
    expect([landed(), train().riders]).toEqual([[], []])
    await world.review(1, { state: 'approved' })
    // Its branch moved on: what stands on the old one has to follow first.
    await world.push('session/a', 'late.txt', 'late\n')
    await world.check('session/a', 'test', 'passed')
    await world.review(1, { state: 'approved' })
    await ride()
    expect(landed()).toEqual([1])
    expect(world.forge.pulls.read(2)).toMatchObject({ state: 'open', base: 'session/a' })
    expect(world.git('ls-tree', '--name-only', 'session/a')).not.toContain('b.txt')
  })

  it('keeps its approval only where it adds exactly what was approved', async () => {
    await pull('a')
    await pull('b', { on: 'a' })
    const [start, head] = [world.git('rev-parse', 'session/a'), world.git('rev-parse', 'session/b')]
    const adds = (base: string) => addsTheSame(world.forge.repository(), { start, head, base })
    const commit = (tree: string) => world.git('commit-tree', tree, '-p', 'main', '-m', 'squashed')
    expect(await adds(world.git('rev-parse', 'main'))).toBe(false)
    expect(await adds(commit('session/a^{tree}'))).toBe(true)
    // What landed is not what it stood on.
    await world.push('changed', 'a.txt', 'something else\n')
    expect(await adds(commit('changed^{tree}'))).toBe(false)
  })

  it('keeps the approval of one that was approved only after the other had landed', async () => {
    await pull('a')
    await pull('b', { on: 'a', approve: false })
    await ride()
    expect(landed()).toEqual([1])
    await world.review(2, { state: 'approved' })
    await ride()
    expect([landed(), world.forge.pulls.read(2)?.base]).toEqual([[1, 2], 'main'])
  })

  it('is of sessions alone: branches of people stay what others are for', async () => {
    await pull('develop', { session: null })
    await pull('feature', { on: 'develop' })
    await ride()
    expect(landed()).toEqual([1])
    expect(world.forge.pulls.read(2)).toMatchObject({ state: 'open', base: 'session/develop' })
  })
})
