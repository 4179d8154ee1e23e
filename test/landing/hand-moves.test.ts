// A base branch that moves without a merge of ao.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { mergePull } from '../../src/forge/merge/merge-pull.ts'
import { noteHandMoves } from '../../src/forge/train/note-hand-moves.ts'
import { handMoveText, markSent, readHandMoves } from '../../src/landing/watch/hand-moves.ts'
import { projectDirectory } from '../../src/lib/process/own-home.ts'
import { createForgeWorld, type ForgeWorld } from '../contract/local-forge-world.ts'

let world: ForgeWorld
let projectDir: string
beforeEach(() => {
  world = createForgeWorld({ config: {} })
  projectDir = projectDirectory(world.context, world.project.id)
})
afterEach(() => world.cleanup())

const note = () => noteHandMoves(world.forge, projectDir, new Date('2026-01-02T03:04:05Z'))
const pull = async (branch: string, file: string) => {
  await world.push(branch, file, 'x\n')
  return (await world.openPR({ branch, title: branch })).number
}

it('merges of ao are no news; what somebody moved is, once, with the pull requests in it', async () => {
  const [one, two] = [await pull('one', '1.txt'), await pull('two', '2.txt')]
  expect(await note()).toEqual([])
  await mergePull(world.forge, one, { method: 'rebase' })
  expect(await note()).toEqual([])
  const from = world.git('rev-parse', 'main')
  world.git('branch', '--force', 'mixed', 'main')
  const to = world.git('commit-tree', 'two^{tree}', '-p', from, '-p', 'two', '-m', 'sneak')
  world.git('update-ref', 'refs/heads/main', to)
  const [move] = await note()
  expect(move).toMatchObject({ from, to, isOnRemote: false, pulls: [two] })
  expect(handMoveText(move!, 'main')).toBe(
    `main was moved by hand from ${from.slice(0, 10)} to ${to.slice(0, 10)}, with #2 in it: not tested and not approved here`,
  )
  // Until somebody was notified, it is offered again.
  expect(await note()).toEqual([move])
  markSent(projectDir, move!)
  expect(await note()).toEqual([])
  expect(readHandMoves(projectDir)).toHaveLength(1)
})

it('what the remote has too is said to have been pulled', async () => {
  await note()
  await world.pushToBase('3.txt', '3\n')
  world.git('update-ref', 'refs/remotes/origin/main', 'main')
  expect(await note()).toMatchObject([{ isOnRemote: true, pulls: [] }])
})

it('a branch that was rewritten counts as moved', async () => {
  await world.pushToBase('3.txt', '3\n')
  await note()
  world.git('update-ref', 'refs/heads/main', 'main~1')
  expect(await note()).toMatchObject([{ isOnRemote: false }])
})
