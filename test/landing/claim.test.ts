import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo } from '../support/run-ao.ts'
import { branchWith, claimAs, createClaimWorld, doubled } from './killed-claims.ts'

let world: AoWorld
beforeAll(() => {
  buildAo()
  world = createClaimWorld()
})
afterAll(async () => expect(await world.temp.cleanup()).toEqual([]))

describe('ao claim', () => {
  it('counts branches and uncommitted files, and gives the same caller the same number for the same title', async () => {
    branchWith(world, 'other', '0003_other.sql')
    // Neither an absurd number nor one that is none takes the sequence away from everybody.
    branchWith(world, 'hostile', '999999999999999_x.sql')
    branchWith(world, 'more', '99999999999999999999_x.sql')
    mkdirSync(join(world.repo, 'db'))
    writeFileSync(join(world.repo, 'db', '0004_mine.sql'), '')
    const first = await world.json(['claim', 'migration', 'add_users'], { env: { AO_SESSION: 'app-1' } })
    expect(first).toEqual({ sequence: 'migration', number: 5, path: 'db/0005_add_users.sql', code: 0 })
    const claims = [
      { session: 'app-1', title: 'add_users' },
      { session: 'app-2', title: 'add_users' },
      { session: 'app-1', title: 'add_more' },
    ]
    const numbers: unknown[] = []
    for (const one of claims) numbers.push((await claimAs(world, { ...one, killAt: null })).number)
    expect(numbers).toEqual([5, 6, 7])
    const refused = await Promise.all([world.ao(['claim', 'table']), world.ao(['claim', 'migration', '../../x'])])
    expect(refused.map(({ code }) => code)).toEqual([2, 2])
    expect(refused[0]!.stderr).toContain('It has: migration')
  })

  it('gives no number twice to those who ask at once, some of whom are killed on the way', async () => {
    const killAt = [null, 'claim.chosen', null, 'claim.written', 250, null]
    const claimed = await Promise.all(
      killAt.map((at, index) => claimAs(world, { session: `app-${index}`, title: `t${index}`, killAt: at })),
    )
    expect(claimed.filter(({ isKilled }) => isKilled).length).toBeGreaterThanOrEqual(2)
    expect(doubled(world, claimed)).toEqual([])
    // The one that was killed after its number was on disk gets it now.
    const again = await claimAs(world, { session: 'app-3', title: 't3', killAt: null })
    expect(doubled(world, [...claimed, again])).toEqual([])
  })
})
