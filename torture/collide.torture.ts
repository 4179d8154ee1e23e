// npm run torture -- collide: scripted agents that each add a migration, a dependency and a changelog line from the same commit. With
// rules for conflicts all of them land by themselves; without, all but the first conflict.
import { collide, RULES } from '../test/landing/colliding-agents.ts'
import { campaign, triesOr } from './campaign.ts'

/** Of one world; each lands on what the others before it changed. */
const AGENTS = 20
/** Enough to see that it is the rules which make them land. */
const WITHOUT_RULES = 4

campaign('colliding agents', async (one) => {
  const { conflicts: found } = await collide(WITHOUT_RULES, [])
  if (found < WITHOUT_RULES - 1) one.broken(`without rules only ${found} of ${WITHOUT_RULES} conflict`)
  for (let tries = 0; tries < triesOr(40); tries += AGENTS) {
    const { landed, conflicts, numbers, broken } = await collide(AGENTS, RULES)
    for (let agent = 1; agent <= AGENTS; agent++) one.tried('landings')
    if (landed !== AGENTS) one.broken(`${landed} of ${AGENTS} landed`)
    if (conflicts > 0) one.broken(`${conflicts} agents would get a message`)
    if (numbers.some((number, at) => number !== at + 1)) one.broken(`the numbers are ${numbers.join(', ')}`)
    for (const commit of broken) one.broken(`the app does not boot at ${commit}`)
    one.judged()
  }
})
