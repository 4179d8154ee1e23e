// The daemon is killed at random moments. `npm run torture` does the same a hundred times.
import { afterEach, it } from 'vitest'
import { killAtRandom } from './kill-at-random.ts'

const done: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const clean of done.splice(0)) await clean()
})

it('S4.93 S4.98 S4.109 a daemon that is killed at random loses nothing that a reader has seen, and leaves no process', async () => {
  await killAtRandom({ rounds: 8, seed: 20_261_115 }, (clean) => done.push(clean))
}, 240_000)
