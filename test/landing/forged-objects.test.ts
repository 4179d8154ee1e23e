// Objects with other content than their id stands for: whatever shows, checks, approves or merges a pull request sees the bytes that
// land, or refuses.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { advanceCi } from '../../src/forge/advance-ci.ts'
import { mergePull } from '../../src/forge/merge/merge-pull.ts'
import { verifyCommit } from '../../src/forge/proof/verify-commit.ts'
import { reviewPull } from '../../src/forge/pulls/change-pull.ts'
import { diffPull, patchPull } from '../../src/forge/pulls/diff-pull.ts'
import { observePull } from '../../src/forge/pulls/observe-pulls.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { runTrain } from '../../src/forge/train/run-train.ts'
import { readChangedChecks } from '../../src/landing/checks/read-changed-checks.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'
import { type ForgedContent, type Forger, forgerOf } from '../support/forged-objects.ts'

const CONFIG = { ci: { commands: [{ name: 'unit', run: '! grep -rq EVIL app.txt' }] } }
const DAMAGED = { code: 'GIT_OBJECT_DAMAGED' }

let world: ForgeWorld
let forger: Forger
let number: number
beforeEach(async () => {
  world = createForgeWorld({ config: CONFIG, files: { 'app.txt': 'first\n', 'lib/a.txt': 'a\n' }, checkedOut: 'main' })
  await world.push('work', 'app.txt', 'EVIL\n')
  await world.push('harmless', 'app.txt', 'NICE\n')
  number = (await openPull(world.forge, { title: 'work', body: '', head: 'work' })).pull.number
  forger = forgerOf(join(world.repo, '.git'), world.temp.env)
})
afterEach(() => world.cleanup())

const blob = (content: string): ForgedContent => ({ type: 'blob', content: Buffer.from(content) })
const id = (revision: string) => world.git('rev-parse', revision)

/** What an agent does so that its change seems to be another one. */
const FORGERIES: Record<string, () => void> = {
  'a file in place of another': () => forger.loose(id('work:app.txt'), blob('NICE\n')),
  'a pack that hides the right file': () => forger.pack(id('work:app.txt'), blob('NICE\n')),
  'a tree with another file': () => forger.loose(id('work^{tree}'), forger.read(id('harmless^{tree}'))),
  'a tree in a pack': () => forger.pack(id('work^{tree}'), forger.read(id('harmless^{tree}'))),
  'half a file': () => forger.truncated(id('work:app.txt')),
  'a commit with another tree': () => {
    const { content } = forger.read(id('work'))
    const other = content.toString().replace(id('work^{tree}'), id('harmless^{tree}'))
    forger.loose(id('work'), { type: 'commit', content: Buffer.from(other) })
  },
}

const pull = () => world.forge.pulls.read(number)!
const approve = () => reviewPull(world.forge, number, { state: 'approved', body: '', comments: [] })
const merge = (method: 'squash' | 'merge' | 'rebase') => mergePull(world.forge, number, { method, force: true })
const ride = () =>
  runTrain({
    ...{ forge: world.forge, projectDir: projectDirectory(world.context, world.project.id), method: 'squash' },
    ...{ rule: { batch: 3, order: 'fifo', priority: [] }, collide: () => false },
    ...{ signal: new AbortController().signal, say: () => undefined },
  })

it('an object that was forged is refused when it is there from the start, and what the author committed is used once it is back', async () => {
  const main = id('main')
  const { headSha } = pull()
  for (const forge of Object.values(FORGERIES)) {
    forge()
    await expect(diffPull(world.forge, pull())).rejects.toMatchObject(DAMAGED)
    await expect(approve()).rejects.toMatchObject(DAMAGED)
    await expect(advanceCi(world.forge)).rejects.toMatchObject(DAMAGED)
    await expect(merge('squash')).rejects.toMatchObject(DAMAGED)
    forger.undo()
  }
  FORGERIES['a file in place of another']!()
  await expect(patchPull(world.forge, pull())).rejects.toMatchObject(DAMAGED)
  const range = { repository: world.forge.repository(), from: main, to: headSha }
  await expect(readChangedChecks(world.project, range)).rejects.toMatchObject(DAMAGED)
  forger.undo()
  expect(id('main')).toBe(main)
  expect(await diffPull(world.forge, pull())).toContain('+EVIL')
  await advanceCi(world.forge)
  expect(await observePull(world.forge, pull())).toMatchObject({ ci: 'failing', review: 'pending' })
})

it('one of the base, on which checks depend, is refused too', async () => {
  forger.loose(id('main:lib/a.txt'), blob('weaker\n'))
  await expect(advanceCi(world.forge)).rejects.toMatchObject(DAMAGED)
  await expect(diffPull(world.forge, pull())).rejects.toMatchObject(DAMAGED)
})

it('one that comes after the review changes nothing of what is shown, and does not land', async () => {
  const main = id('main')
  const shown = await diffPull(world.forge, pull())
  for (const [name, forge] of Object.entries(FORGERIES)) {
    forge()
    expect(await diffPull(world.forge, pull()), name).toBe(shown)
    for (const method of name.includes('pack') ? (['squash', 'merge', 'rebase'] as const) : (['squash'] as const))
      await expect(merge(method), name).rejects.toMatchObject(DAMAGED)
    forger.undo()
  }
  expect(id('main')).toBe(main)
  FORGERIES['a pack that hides the right file']!()
  await advanceCi(world.forge)
  expect((await observePull(world.forge, pull())).ci).toBe('failing')
  forger.undo()
  await merge('squash')
  expect(world.git('show', 'main:app.txt')).toBe('EVIL')
  expect(readFileSync(join(world.repo, 'app.txt'), 'utf8')).toBe('EVIL\n')
})

it('one does not ride the train, which says why', async () => {
  const main = id('main')
  await world.push('fine', 'lib/b.txt', 'b\n')
  number = (await openPull(world.forge, { title: 'fine', body: '', head: 'fine' })).pull.number
  await advanceCi(world.forge)
  await approve()
  forger.loose(id('fine:lib/b.txt'), blob('other\n'))
  await expect(ride()).rejects.toMatchObject(DAMAGED)
  expect(id('main')).toBe(main)
  forger.undo()
  expect(await ride()).toEqual({ kind: 'done' })
  expect(world.git('show', 'main:lib/b.txt')).toBe('b')
})

it('one leaves what a proof says about a landed commit as it is', async () => {
  await world.push('fine', 'lib/b.txt', 'b\n')
  number = (await openPull(world.forge, { title: 'fine', body: '', head: 'fine' })).pull.number
  await advanceCi(world.forge)
  await approve()
  await ride()
  const commit = id('main')
  const tree = id('main^{tree}')
  forger.pack(tree, forger.read(id('work^{tree}')))
  expect(world.git('show', `${tree}:app.txt`)).toBe('EVIL')
  const directory = join(projectDirectory(world.context, world.project.id), 'landing')
  const { findings } = await verifyCommit(world.forge, { directory, commit, rerun: true })
  expect(findings.filter(({ proven }) => !proven)).toEqual([])
})
