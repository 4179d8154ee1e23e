// A pull request whose base changes: what was approved and judged for one change says nothing about another.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { advanceCi } from '../../src/forge/advance-ci.ts'
import { createForge } from '../../src/forge/create-forge.ts'
import { mergePull } from '../../src/forge/merge/merge-pull.ts'
import { verifyCommit } from '../../src/forge/proof/verify-commit.ts'
import { editPull, reviewPull } from '../../src/forge/pulls/change-pull.ts'
import { observePull } from '../../src/forge/pulls/observe-pulls.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { runTrain } from '../../src/forge/train/run-train.ts'
import type { LocalForge } from '../../src/forge/types.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { readForgeOptions } from '../../src/plugins/scm-local/index.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'

describe('a pull request whose base changes', () => {
  let world: ForgeWorld
  let forge: LocalForge
  let projectDir: string
  beforeEach(() => {
    world = createForgeWorld()
    const gates = [{ name: 'paths', forbid: ['infra/'] }]
    forge = createForge({ ...world.project, gates }, readForgeOptions({}), world.context)
    projectDir = projectDirectory(world.context, world.project.id)
  })
  afterEach(() => world.cleanup())

  const open = async (head: string, base = 'main') =>
    (await openPull(forge, { title: head, body: '', head, base })).pull
  const observe = async (number: number) => {
    await advanceCi(forge, { pullNumber: number })
    return observePull(forge, forge.pulls.read(number)!)
  }
  const approve = (number: number) => reviewPull(forge, number, { state: 'approved', body: '', comments: [] })
  const ride = () =>
    runTrain({
      ...{ forge, projectDir, rule: { batch: 3, order: 'fifo', priority: [] }, method: 'squash' },
      ...{ collide: () => false, signal: new AbortController().signal, say: () => undefined },
    })
  const state = () => openTrainFile({ projectDir, clock: systemClock }).read()
  const board = (pull: number, headSha: string) =>
    openTrainFile({ projectDir, clock: systemClock }).append({ type: 'boarded', pull, headSha, by: 'ao' })

  /** A branch that hides more below what it shows against its first base. */
  const hidden = async () => {
    await world.push('hidden', 'infra/prod.tf', 'evil\n')
    world.git('branch', 'shown', 'hidden')
    await world.push('shown', 'harmless.txt', 'harmless\n')
    const { number } = await open('shown', 'hidden')
    return number
  }

  it.each(['squash', 'merge'] as const)(
    'that crosses the history of its base undoes nothing unseen (%s)',
    async (method) => {
      await world.push('fix', 'app.txt', 'fixed\n')
      await world.push('main', 'other.txt', 'moved\n')
      world.git('branch', 'crossed', 'main')
      const fixed = (await open('fix')).number
      await mergePull(forge, fixed, { method: 'merge', force: true })
      // Both sides are merged, and the fix is left out.
      const tree = world.git('rev-parse', 'crossed^{tree}')
      const merge = world.git('commit-tree', tree, '-p', 'crossed', '-p', 'fix', '-m', 'Merge branch fix')
      world.git('update-ref', 'refs/heads/crossed', merge)
      await world.push('crossed', 'feature.txt', 'feature\n')
      expect(world.git('merge-base', '--all', 'main', 'crossed').split('\n')).toHaveLength(2)
      const { number } = await open('crossed')
      await approve(number)
      await expect(mergePull(forge, number, { method, force: true })).rejects.toThrow(
        'its history crosses that of main',
      )
      expect(world.git('show', 'main:app.txt')).toBe('fixed')
    },
  )

  it('is approved, judged and landed for the change that was shown, and for no larger one', async () => {
    const number = await hidden()
    expect(await observe(number)).toMatchObject({ ci: 'passing', review: 'pending' })
    await approve(number)
    expect(await observe(number)).toMatchObject({ ci: 'passing', review: 'approved' })
    await editPull(forge, number, { base: 'main' })
    expect(await observe(number)).toMatchObject({ ci: 'failing', review: 'pending' })
    expect(await ride()).toEqual({ kind: 'done' })
    expect(world.git('ls-tree', '--name-only', 'main')).toBe('README.md')
    await expect(mergePull(forge, number, { needsApproval: true })).rejects.toThrow('nobody has approved')
  })

  it('needs a new approval also when its base branch is moved below it', async () => {
    const number = await hidden()
    await approve(number)
    world.git('update-ref', 'refs/heads/hidden', 'main')
    expect(await observe(number)).toMatchObject({ ci: 'failing', review: 'pending' })
  })

  it('keeps its approval while the base branch only goes on, and when more was shown than is left', async () => {
    await world.push('parent', 'a.txt', 'a\n')
    world.git('branch', 'child', 'parent')
    await world.push('child', 'b.txt', 'b\n')
    const { number } = await open('child')
    await approve(number)
    await world.pushToBase('other.txt', 'other\n')
    expect((await observe(number)).review).toBe('approved')
    const parent = await open('parent')
    await observe(parent.number)
    await mergePull(forge, parent.number, { method: 'merge' })
    expect((await observe(number)).review).toBe('approved')
  })

  it('an approval of an older version counts for the base that it was given on', async () => {
    const number = await hidden()
    await approve(number)
    const file = join(forge.pulls.directory, String(number), 'events.jsonl')
    const old = readFileSync(file, 'utf8').replace(/"from":"[0-9a-f]+",/, '')
    expect(old).not.toContain('"from"')
    writeFileSync(file, old)
    expect((await observe(number)).review).toBe('approved')
    appendFileSync(file, `${JSON.stringify({ type: 'edited', base: 'main', at: '2026-01-02', by: 'x' })}\n`)
    expect((await observe(number)).review).toBe('pending')
  })

  it('leaves the train with the reason, which goes on without it', async () => {
    world.git('branch', 'other', 'main')
    const [one, two] = [await world.push('one', '1.txt', '1\n'), await world.push('two', '2.txt', '2\n')]
    const pulls = [await open('one'), await open('two')]
    for (const { number } of pulls) {
      await observe(number)
      await approve(number)
    }
    await board(1, one as unknown as string)
    await board(2, two as unknown as string)
    const other = world.git('rev-parse', 'other')
    await editPull(forge, 1, { base: 'other' })
    expect(await ride()).toEqual({ kind: 'done' })
    expect(state().left).toMatchObject([
      { pull: 1, why: 'unready', said: 'its base is other, and the train goes to main' },
    ])
    expect(state().landed.map(({ pull }) => pull)).toEqual([2])
    // It is at the same commit as main was, and nobody asked for anything there.
    expect(world.git('rev-parse', 'other')).toBe(other)
  })

  it('cannot be given a base that would make it look merged, nor once it is', async () => {
    await world.push('one', '1.txt', '1\n')
    const { number } = await open('one')
    world.git('branch', 'ahead', 'one')
    await expect(editPull(forge, number, { base: 'ahead' })).rejects.toThrow('ahead has all of its commits')
    await expect(editPull(forge, number, { base: 'gone' })).rejects.toThrow('there is no branch gone')
    await observe(number)
    await mergePull(forge, number)
    world.git('branch', 'later', 'main')
    await expect(editPull(forge, number, { base: 'later' })).rejects.toThrow('it is merged')
  })

  it('a note that names another command, start or list of changed checks is not proven', async () => {
    await world.push('one', '1.txt', '1\n')
    const { number } = await open('one')
    await observe(number)
    await approve(number)
    await ride()
    const commit = world.git('rev-parse', 'main')
    const verify = async () => {
      const { findings } = await verifyCommit(forge, { directory: join(projectDir, 'landing'), commit, rerun: false })
      return findings.filter(({ proven }) => !proven).map(({ what }) => what)
    }
    expect(await verify()).toEqual([])
    const note = world.git('notes', '--ref=ao/proof', 'show', commit)
    const tamper = (change: (text: string) => string) => {
      const file = join(world.temp.home, 'note')
      expect(change(note)).not.toBe(note)
      writeFileSync(file, change(note))
      world.git('notes', '--ref=ao/proof', 'add', '--force', '-F', file, commit)
    }
    tamper((text) => text.replace(/"run": "/, '"run": "true; '))
    expect(await verify()).toEqual(['check gate: paths'])
    tamper((text) => text.replace('"changedChecks": []', '"changedChecks": ["ci.sh"]'))
    expect(await verify()).toEqual(['changed checks'])
    tamper((text) => text.replace(/"from": "[0-9a-f]+"/, `"from": "${commit}"`))
    expect(await verify()).toEqual(['change'])
  })
})
