// Nothing in a working tree is lost by removing it (F27): both plugins, every way of being dirty.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cover } from '../support/cover.ts'
import { DIRTY_STATES, START_FILES } from './dirty-states.ts'
import { createWorld, fingerprint, gitState, type Kind, type World } from './workspace-world.ts'

const KINDS: Kind[] = ['worktree', 'clone']
const CASES = cover(DIRTY_STATES, KINDS)

for (const kind of KINDS) {
  describe(`removing a ${kind} and bringing it back`, () => {
    let world: World
    let sessions = 0
    beforeAll(() => {
      world = createWorld(kind, { files: START_FILES })
    })
    afterAll(async () => {
      expect(await world.temp.cleanup()).toEqual([])
    })

    it.each(CASES.flatMap(([state, its]) => (its === kind ? [state] : [])))(
      'S0.67 S0.68 keeps byte for byte: $name',
      async ({ make }) => {
        const id = `app-${++sessions}`
        const { workspace } = world
        const { path } = await world.create(id)
        make(path, (...args) => world.git(path, ...args))
        const files = fingerprint(path)
        const state = gitState(world, path)

        const rescue = await workspace.snapshot(path, id)
        expect(rescue?.ref).toBe(`refs/ao/rescue/${id}/1`)
        expect(fingerprint(path)).toEqual(files)
        expect(gitState(world, path)).toEqual(state)
        await workspace.destroy(path)
        expect(await workspace.exists(path)).toBe(false)

        await workspace.restore(world.spec(id), path)
        if (kind === 'clone') setUpFilters(world, path)
        expect(await workspace.applyRescue(path, id, world.project)).toEqual(rescue)
        expect(fingerprint(path)).toEqual(files)
        expect(gitState(world, path)).toEqual(state)
      },
    )
  })
}

/** A worktree shares the repository's configuration; a clone made again does not know the filters of the old one. */
function setUpFilters(world: World, path: string): void {
  world.git(path, 'config', 'filter.strip.clean', 'sed /secret/d')
  world.git(path, 'config', 'filter.strip.smudge', 'cat')
  world.git(path, 'config', 'filter.lfs.clean', 'cat')
  world.git(path, 'config', 'filter.lfs.smudge', 'sed s/pointer/content/')
}
