// One virtual minute: agents work, pull requests change, things fail, the person acts.
import { enter, liveAgent, revive, startAgent } from './agent-life.ts'
import { livePull, MINUTE, merge, type NeedKind, type SimAgent, strike, type World, watchBase } from './world.ts'

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

function needOf(world: World, agent: SimAgent): NeedKind | null {
  const { pr } = agent
  if (pr?.state === 'merged') return null
  if (agent.runtime.state === 'dead') return 'agent gone'
  if (agent.phase === 'asking') return 'question'
  if (pr?.ci !== 'passing' || pr.hasConflicts) return null
  if (pr.review === 'approved') return world.hasTrain ? null : 'merge'
  return pr.review === 'changes_requested' ? null : 'review'
}

/** What waits for the person, and the person: one thing at a time, the oldest first, and not at once. */
function noteNeeds(world: World): void {
  const open = new Map(
    world.waits.filter(({ ended }) => ended === null).map((one) => [`${one.session} ${one.kind}`, one]),
  )
  const needed: Array<[string, NeedKind]> = [...world.sessions.values()].flatMap((agent) => {
    const kind = needOf(world, agent)
    return kind === null ? [] : [[agent.id, kind]]
  })
  if (world.baseRedSince !== null) needed.push(['', 'base branch red'])
  for (const [session, kind] of needed) {
    if (!open.delete(`${session} ${kind}`)) world.waits.push({ kind, session, since: world.now, ended: null })
  }
  for (const one of open.values()) one.ended = world.now
}

function livePerson(world: World): void {
  if (world.now < world.personBusyUntil) return
  const due = world.waits
    .filter(({ ended, since }) => ended === null && world.now - since >= world.personMinutes * MINUTE)
    .sort((a, b) => a.since - b.since)[0]
  if (!due) return
  world.personBusyUntil = world.now + 2 * MINUTE
  due.ended = world.now
  const agent = world.sessions.get(due.session)
  if (agent) settleNeed(world, agent, due.kind)
  else for (const pull of world.code.pulls.values()) if (pull.landed) Object.assign(pull, { bad: false, badWith: null })
}

function settleNeed(world: World, agent: SimAgent, kind: NeedKind): void {
  const { random } = world
  if (kind === 'question') enter(world, agent, 'working', 5)
  if (kind === 'agent gone') revive(world, agent)
  if (kind === 'merge') merge(world, agent)
  if (kind !== 'review' || agent.pr === null) return
  if (random.chance(0.8)) {
    agent.pr.review = 'approved'
    return
  }
  agent.pr.review = 'changes_requested'
  world.remarks += 1
  const author = { login: 'reviewer', isBot: false, isMember: true }
  const body = `Please simplify this (${world.remarks}).`
  const createdAt = new Date(world.now).toISOString()
  agent.pr.comments = [{ id: `r${world.remarks}`, reviewId: null, author, body, isResolved: false, createdAt }]
}
