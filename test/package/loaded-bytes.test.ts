// How much code the everyday commands load. One import too many (all of zod by its namespace, a plugin at the start) has added half
// a megabyte without anybody noticing. A change may lower these numbers; who has to raise one says why in the commit.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../support/installed-package.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
beforeAll(async () => {
  buildAo()
  world = createAoWorld()
  // The first command of a configuration reads it without its cache.
  await world.runAlone(['status'])
})
afterAll(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

it.each([
  ['ao status', 540],
  ['ao session ls', 525],
  ['ao pr ls', 910],
  ['ao spawn --dry-run --prompt x', 1180],
  ['agh --help', 480],
])('%s loads less than %d KB', (line, mostKb) => {
  const [program, ...args] = line.split(' ')
  const list = join(world.temp.home, `${line.replaceAll(/\W/g, '-')}.loaded`)
  const hook = `--import ${join(ROOT, 'test', 'fixtures', 'note-loaded.mjs')}`
  const env = { ...world.temp.env, NOTE_LOADED: list, NODE_OPTIONS: hook }
  const ended = spawnSync(process.execPath, [join(ROOT, 'dist', `${program}.js`), ...args], {
    cwd: world.repo,
    env,
    encoding: 'utf8',
  })
  expect(ended).toMatchObject({ status: 0 })
  const sizes = readFileSync(list, 'utf8').trim().split('\n').map(Number)
  const kb = sizes.reduce((sum, size) => sum + size, 0) / 1024
  expect(kb, `${sizes.length} files`).toBeLessThan(mostKb)
  expect(kb).toBeGreaterThan(100)
})
