// npm run torture -- collide: scripted agents that each add a migration, a dependency and a changelog line from the same commit. With
// rules for conflicts all of them land by themselves; without, all but the first conflict.
import { collide, RULES } from '../test/landing/colliding-agents.ts'
import { campaign, triesOr } from './campaign.ts'

campaign('colliding agents', async (one) => {
  const agents = triesOr(40)
  const { landed, conflicts, numbers, broken } = await collide(agents, RULES)
  for (let agent = 1; agent <= agents; agent++) one.tried('landings')
  if (landed !== agents) one.broken(`${landed} of ${agents} landed`)
  if (conflicts > 0) one.broken(`${conflicts} agents would get a message`)
  if (numbers.some((number, at) => number !== at + 1)) one.broken(`the numbers are ${numbers.join(', ')}`)
  for (const commit of broken) one.broken(`the app does not boot at ${commit}`)
  const without = await collide(agents, [])
  if (without.conflicts < agents - 1) one.broken(`without rules only ${without.conflicts} of ${agents} conflict`)
  one.log(`${landed} of ${agents} landed, ${conflicts} messages; without rules ${without.conflicts} conflicts`)
})
