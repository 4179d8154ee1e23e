// npm run torture: what is too long for every day. AGH_SEED repeats a run.
import { afterEach, expect, it } from 'vitest'
import { killAtRandom } from '../test/agh/kill-at-random.ts'

const ROUNDS = 100
const done: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const clean of done.splice(0)) await clean()
})

it(`a daemon is killed ${ROUNDS} times at random`, async () => {
  const seed = Number(process.env.AGH_SEED ?? Date.now() % 2 ** 31)
  expect(seed).toBeGreaterThan(0)
  console.log(`AGH_SEED=${seed}`)
  await killAtRandom({ rounds: ROUNDS, seed }, (clean) => done.push(clean))
})
