// npm run torture -- kill-daemon: the agh daemon, killed in the middle of turns; alone, and with the host of its agent.
import { killAtRandom } from '../test/agh/kill-at-random.ts'
import { campaign, timesOr } from './campaign.ts'

campaign('killed agh daemon', async ({ seed, tried, afterwards }) => {
  await killAtRandom({ rounds: timesOr(100), seed }, afterwards, () => tried('kills'))
})

campaign('killed agh daemon and host', async ({ seed, tried, afterwards }) => {
  await killAtRandom({ rounds: timesOr(100), seed, alsoHost: true }, afterwards, () => tried('kills'))
})
