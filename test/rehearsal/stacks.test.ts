// Chains of 5 and diamonds of 6, waiting and speculating, and groups of 3, over 50 seeds each.
import { expect, it } from 'vitest'
import { seeded } from '../landing/train-lives.ts'
import { liveGroup } from './group-day.ts'
import { CHAIN, DIAMOND, liveDay, type Shape } from './stack-day.ts'

const SEEDS = 50

it.each<[string, Shape, number]>([
  ['a chain of 5', CHAIN, 0.55],
  ['a diamond of 6', DIAMOND, 0.8],
])('%s lands green, in order and on the right base, and is done sooner when nobody waits', async (_, shape, most) => {
  let [waiting, speculating] = [0, 0]
  for (let seed = 1; seed <= SEEDS; seed++) {
    const waited = await liveDay(shape, false, seeded(seed))
    const speculated = await liveDay(shape, true, seeded(seed))
    expect({ seed, waited: waited.trouble, speculated: speculated.trouble }).toEqual({
      seed,
      waited: [],
      speculated: [],
    })
    waiting += waited.minutes
    speculating += speculated.minutes
  }
  expect(speculating / waiting).toBeLessThanOrEqual(most)
})

it('a group of 3 lands as a whole, green and in order, whoever dies and whatever halts it midway', async () => {
  const seen = { deaths: 0, stops: 0 }
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { trouble, deaths, stops } = await liveGroup(3, seeded(seed))
    expect({ seed, trouble }).toEqual({ seed, trouble: [] })
    seen.deaths += deaths
    seen.stops += stops.length
  }
  // Otherwise nothing was rehearsed.
  expect(Math.min(seen.deaths, seen.stops)).toBeGreaterThan(10)
})
