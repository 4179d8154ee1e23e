// One virtual minute: agents work, pull requests change, things fail, the person acts.
import { expectedMinutes, judgeRisk } from '../core/review/judge-risk.ts'
import { openChanges } from '../core/review/open-changes.ts'
import { reviewCapacity } from '../core/review/review-capacity.ts'
import { weighReview } from '../core/review/weigh-review.ts'
import { enter, liveAgent, revive, startAgent } from './agent-life.ts'
import {
  livePull,
  MINUTE,
  merge,
  type NeedKind,
  type SimAgent,
  strike,
  type Wait,
  type World,
  watchBase,
} from './world.ts'

export function liveMinute(world: World): void {
  world.now += world.step
  const working = [...world.sessions.values()].filter(({ pr }) => pr === null || pr.state === 'open')
  const due = world.rates?.starts.filter((at) => world.startedAt + at * MINUTE <= world.now).length
  const missing = due === undefined ? world.agents - working.length : due - world.sessions.size
  for (let left = missing; left > 0 && mayStart(world); left--) startAgent(world)
  for (const agent of working) {
    liveAgent(world, agent)
    livePull(world, agent)
  }
  if (world.faults) strike(world, working)
  watchBase(world)
  noteNeeds(world)
  livePerson(world)
}

/** As the backlog of a project with `review.capacity` decides it, from what the loop has recorded. */
function mayStart(world: World): boolean {
  const { reviewer, now } = world
  if (!reviewer || reviewer.capacity === 'off') return true
  const { waits } = reviewCapacity({
    capacity: reviewer.capacity,
    reviews: world.reviewTimes,
    // The day before was like the others.
    leads: [35 * MINUTE, ...[...world.sessions.values()].flatMap(leadOf)],
    changes: openChanges(world.records()),
    now,
  })
  return waits === null
}

function leadOf({ startedAt, openedAt }: SimAgent): number[] {
  return openedAt === null ? [] : [openedAt - startedAt]
}

function needOf(world: World, agent: SimAgent): NeedKind | null {
  const { pr } = agent
  if (pr?.state === 'merged') return null
  if (agent.runtime.state === 'dead') return 'agent gone'
  if (agent.phase === 'asking') return 'question'
  if (pr?.ci !== 'passing' || pr.hasConflicts) return null
  if (pr.review === 'approved') return world.hasTrain ? null : 'merge'
  if (agent.life && !agent.life.isApproved && (agent.remarks ?? 0) >= agent.life.remarks) return null
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
    .sort((a, b) => rankOf(world, b) - rankOf(world, a) || a.since - b.since)[0]
  if (!due) return
  world.personBusyUntil = world.now + minutesFor(world, due) * MINUTE
  if (due.kind === 'review') world.reviewTimes.push(world.now)
  due.ended = world.now
  const agent = world.sessions.get(due.session)
  if (agent) settleNeed(world, agent, due.kind)
  else for (const pull of world.code.pulls.values()) if (pull.landed) Object.assign(pull, { bad: false, badWith: null })
}

/** Everything else before reviews; those by their weight, where that is the order. */
function rankOf(world: World, { kind, session, since }: Wait): number {
  const { reviewer, now } = world
  if (reviewer?.order !== 'weight') return 0
  if (kind !== 'review') return Number.MAX_VALUE
  const { lines = 0 } = world.sessions.get(session) ?? {}
  const size = { lines, files: Math.ceil(lines / 40), sensitive: [], reverts: 0 }
  const risk = judgeRisk({ size, ownChecks: [], findings: [], conflicts: 0 })
  return weighReview({ risk, behind: [], since, now }).weight
}

function minutesFor({ reviewer, sessions, rates, random }: World, { kind, session }: Wait): number {
  if (rates && rates.review.length > 0 && kind === 'review') return random.pick(rates.review)
  if (!reviewer || kind !== 'review') return 2
  const share = expectedMinutes(sessions.get(session)?.lines ?? 400) / expectedMinutes(400)
  return Math.max(1, Math.round(share * reviewer.minutes))
}

function settleNeed(world: World, agent: SimAgent, kind: NeedKind): void {
  const { random } = world
  if (kind === 'question') enter(world, agent, 'working', 5)
  if (kind === 'agent gone') revive(world, agent)
  if (kind === 'merge') merge(world, agent)
  if (kind !== 'review' || agent.pr === null) return
  const { life, remarks = 0 } = agent
  agent.remarks = remarks + 1
  if (life ? remarks >= life.remarks : random.chance(0.8)) {
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
