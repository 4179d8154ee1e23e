// npm run torture -- kill-daemon: the agh daemon, killed in the middle of turns of several sessions; alone, and with the hosts of
// their agents.
import { killAtRandom } from '../test/agh/kill-at-random.ts'
import { type Campaign, campaign, isTimeUp, triesOr } from './campaign.ts'

const SESSIONS = 4

campaign('killed agh daemon', (one) => kill(one, false))
campaign('killed agh daemon and host', (one) => kill(one, true))

async function kill({ seed, tried, judged, afterwards }: Campaign, alsoHost: boolean): Promise<void> {
  const rounds = Math.ceil(triesOr(100) / SESSIONS)
  const how = { rounds, seed, alsoHost, sessions: SESSIONS, streamed: 1_500, isTimeUp }
  await killAtRandom(how, afterwards, () => {
    tried('turns')
    judged()
  })
}
