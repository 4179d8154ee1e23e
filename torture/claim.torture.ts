// npm run torture -- claim: sessions claim numbers of a sequence at the same time, killed at each step or at any moment. No number
// is anybody else's.
import { type Claimed, claimAs, createClaimWorld, doubled, pickKill } from '../test/landing/killed-claims.ts'
import { campaign, triesOr } from './campaign.ts'

const AT_ONCE = 6

campaign('killed claims', async (one) => {
  const world = createClaimWorld()
  one.afterwards(() => world.temp.cleanup())
  const claimed: Claimed[] = []
  const started = performance.now()
  claimed.push(await claimAs(world, { session: 'app-0', title: 't0', killAt: null }))
  // With the others beside it, it takes longer.
  const longest = 3 * (performance.now() - started)
  let kills = 0
  for (let round = 1; kills < triesOr(300); round++) {
    const asking = Array.from({ length: AT_ONCE }, (_, index) => {
      const killAt = one.random.chance(0.85) ? pickKill(one.random, Math.ceil(longest)) : null
      // Some ask again for what they asked for before they were killed.
      const title = `t${one.random.chance(0.2) ? round - 1 : round}-${index}`
      return claimAs(world, { session: `app-${index}`, title, killAt })
    })
    const ended = await Promise.all(asking)
    claimed.push(...ended)
    for (const { isKilled } of ended) {
      if (!isKilled) continue
      kills++
      one.tried('kills')
    }
    one.noted('rounds')
    if (round % 10 !== 0) continue
    for (const what of doubled(world, claimed)) one.broken(what)
    one.judged()
  }
  for (const what of doubled(world, claimed)) one.broken(what)
  one.log(`${kills} kills, ${claimed.filter(({ number }) => number !== null).length} numbers given out`)
})
