// The daemon is killed at random moments. `npm run torture` does the same a hundred times.
import { afterEach, expect, it } from 'vitest'
import { killAtRandom } from './kill-at-random.ts'

const done: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const clean of done.splice(0)) await clean()
})

it('S4.109 a daemon that is killed at random cuts no turn, loses nothing and doubles nothing', async () => {
  let kills = 0
  await killAtRandom(
    { rounds: 4, seed: 20_261_115 },
    (clean) => done.push(clean),
    () => void kills++,
  )
  expect(kills).toBe(4)
}, 240_000)

it('S4.93 S4.98 S4.109 a daemon that is killed at random with the host of its agent loses nothing that a reader has seen, and leaves no process', async () => {
  let kills = 0
  await killAtRandom(
    { rounds: 4, seed: 20_261_115, alsoHost: true },
    (clean) => done.push(clean),
    () => void kills++,
  )
  expect(kills).toBe(4)
}, 240_000)
