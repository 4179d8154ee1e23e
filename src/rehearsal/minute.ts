// One virtual minute: agents work, pull requests change, things fail, the person acts.
import { liveAgent, startAgent } from './agent-life.ts'
import { livePerson, noteNeeds } from './person.ts'
import { livePull, MINUTE, strike, type World, watchBase } from './world.ts'

export function liveMinute(world: World): void {
  world.now += MINUTE
  const working = [...world.sessions.values()].filter(({ pr }) => pr === null || pr.state === 'open')
  for (let missing = world.agents - working.length; missing > 0; missing--) startAgent(world)
  for (const agent of working) {
    liveAgent(world, agent)
    livePull(world, agent)
  }
  if (world.faults) strike(world, working)
  watchBase(world)
  noteNeeds(world)
  livePerson(world)
}
