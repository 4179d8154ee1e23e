// The world of a loop: agents that work, wait and die, a forge where things happen, people who write. It answers the
// plugins' queries, and remembers what was really done to it.

import { REACTION_KEYS } from '../../src/contract/config/reaction-keys.ts'
import type { Pull } from '../../src/contract/pull.ts'
import type { ReactionKey } from '../../src/contract/reactions.ts'
import type { ActivityState } from '../../src/contract/status.ts'
import type { Random } from '../../src/rehearsal/random.ts'
import type { Liveness } from '../../src/slots/runtime.ts'

export const MINUTE = 60_000

export interface Received {
  key: ReactionKey
  text: string
  at: number
  /** What it is about, as the world knows it. */
  reason: string
  epoch: number
  /** How often the work had moved when it was decided. */
  moves: number
}

export interface Inhabitant {
  id: string
  launch: number
  runtime: Liveness
  activity: { state: ActivityState; at: number } | null
  pr: Pull | null
  received: Received[]
  restarts: number[]
  /** How often the work had moved at each of them. */
  restartMoves: number[]
  /** When the loop was shown that the work has moved. */
  moved: number[]
  /** What it was shown then. */
  views: string[]
  merges: string[]
  /** The head that it returns to when its rebase comes to nothing. */
  before: string | null
  /** Grows whenever the loop was shown that a reason is over: what comes after it is another reason. `since`: gone or over. */
  epochs: Partial<Record<ReactionKey, { number: number; since: number }>>
}

export interface World {
  now: number
  random: Random
  inhabitants: Map<string, Inhabitant>
  /** How soon an agent's own records show a message; null: it keeps none. */
  shownAfterMs: number | null
  /** Agents that answer, fall silent again and get nowhere. */
  isIdle: boolean
  commits: number
  remarks: number
  /** No more trouble and no more news: what is still due must come now. */
  isQuiet: boolean
  /** Things that must never happen, as they happened. */
  wrongs: string[]
}

export function createWorld(random: Random): World {
  const ids = random.chance(0.3) ? ['app-1', 'app-2'] : ['app-1']
  return {
    now: Date.parse('2026-01-01T00:00:00Z'),
    random,
    inhabitants: new Map(ids.map((id) => [id, newInhabitant(id)])),
    shownAfterMs: random.pick([0, 0, 20_000, null]),
    isIdle: random.chance(0.15),
    commits: 0,
    remarks: 0,
    isQuiet: false,
    wrongs: [],
  }
}

function newInhabitant(id: string): Inhabitant {
  return {
    id,
    launch: 1,
    runtime: { state: 'alive' },
    activity: null,
    pr: null,
    received: [],
    restarts: [],
    restartMoves: [],
    moved: [],
    views: [],
    merges: [],
    before: null,
    epochs: {},
  }
}

/** What happens while nothing observes it. */
export function live(world: World): void {
  for (const one of world.inhabitants.values()) {
    liveAgent(world, one)
    if (world.isIdle) continue
    if (one.pr === null && world.random.chance(0.2)) one.pr = newPr(one.id)
    if (one.before !== null && world.random.chance(0.7)) giveUp(one)
    else if (one.pr !== null) livePr(world, one.pr)
  }
}

function liveAgent({ random, now, isIdle }: World, one: Inhabitant): void {
  if (isIdle && random.chance(0.7)) one.activity = { state: 'idle', at: now - random.below(10 * MINUTE) }
  if (random.chance(0.3)) {
    const states = ['active', 'ready', 'idle', 'waiting_input', 'blocked'] as const
    one.activity = random.chance(0.1) ? null : { state: random.pick(states), at: now - random.below(MINUTE) }
  }
  if (one.runtime.state === 'dead') return
  if (random.chance(0.015)) one.runtime = { state: 'dead', exitCode: random.pick([0, 1]), why: 'it ended' }
  else if (random.chance(0.1)) one.runtime = random.pick([{ state: 'alive' }, { state: 'unknown', why: 'no answer' }])
}

function livePr(world: World, pr: Pull): void {
  const { random } = world
  if (pr.state !== 'open') return
  if (random.chance(0.3)) {
    world.commits += 1
    Object.assign(pr, { headSha: shaOf(world.commits), ci: 'pending', checks: [] })
  } else if (random.chance(0.5)) {
    pr.ci = random.pick(['passing', 'failing', 'pending'] as const)
    pr.checks = pr.ci === 'failing' ? failed(random.pick([['test'], ['lint'], ['lint', 'test']])) : []
  }
  if (random.chance(0.3)) pr.review = random.pick(['none', 'pending', 'approved', 'changes_requested'] as const)
  if (random.chance(0.2)) pr.comments = [...pr.comments, remark(world)].slice(random.below(3))
  if (random.chance(0.2)) pr.hasConflicts = random.pick([true, false, null])
  pr.mergeable = pr.hasConflicts === null ? null : !pr.hasConflicts
  if (random.chance(0.02)) pr.state = random.pick(['merged', 'closed'] as const)
}

/** A rebase: another head without conflicts, until its tests have run. */
export function rebase(world: World, one: Inhabitant): void {
  if (one.pr?.state !== 'open') return
  world.commits += 1
  one.before = one.pr.headSha
  Object.assign(one.pr, {
    headSha: shaOf(world.commits),
    ci: 'pending',
    checks: [],
    hasConflicts: false,
    mergeable: true,
  })
}

function giveUp(one: Inhabitant): void {
  if (one.pr?.state === 'open')
    Object.assign(one.pr, { headSha: one.before, ci: 'pending', checks: [], hasConflicts: true, mergeable: false })
  one.before = null
}

function failed(names: string[]): Pull['checks'] {
  return names.map((name) => ({ id: name, name, status: 'failed' }))
}

function shaOf(number: number): string {
  return String(number).padEnd(40, 'a')
}

function newPr(id: string): Pull {
  return {
    pr: { url: `https://example.invalid/o/r/pull/${id.slice(4)}`, number: Number(id.slice(4)) },
    state: 'open',
    headSha: shaOf(0),
    ci: 'pending',
    checks: [],
    review: 'none',
    reviews: [],
    comments: [],
    hasConflicts: false,
    mergeable: true,
    failingOnBase: [],
    updatedAt: '2026-01-01T00:00:00Z',
  }
}

function remark(world: World): Pull['comments'][number] {
  world.remarks += 1
  const isBot = world.random.chance(0.3)
  return {
    id: `r${world.remarks}`,
    reviewId: null,
    author: { login: isBot ? 'bot' : 'ann', isBot, isMember: !isBot },
    body: `<r${world.remarks}>`,
    isResolved: false,
    createdAt: '2026-01-01T00:00:00Z',
  }
}

/** What a reaction is about, in the world's own terms. */
export function reasonFor(one: Inhabitant, key: ReactionKey): string {
  const { pr, launch, activity } = one
  switch (key) {
    case 'ci-failed':
      return `${pr?.headSha} ${pr?.checks.map(({ name }) => name).join(' ')}`
    case 'merge-conflicts':
    case 'approved-and-green':
      return pr?.headSha ?? ''
    case 'changes-requested':
    case 'bugbot-comments':
      return remarksFor(one, key).join(' ')
    case 'agent-exited':
      return String(launch)
    case 'pr-closed':
      return pr?.pr.url ?? ''
    default:
      return `${launch} ${activity?.at ?? ''}`
  }
}

export function remarksFor({ pr }: Inhabitant, key: ReactionKey): string[] {
  const wantsBots = key === 'bugbot-comments'
  return (pr?.comments ?? []).filter(({ author }) => author.isBot === wantsBots).map(({ id }) => id)
}

/** The loop is shown this pull request now: which reasons does that end? */
export function showPr(world: World, one: Inhabitant): Pull | null {
  const { pr } = one
  if (pr === null) return null
  const shown = `${pr.pr.url} ${pr.headSha} ${pr.ci} ${pr.review}`
  if (shown !== one.views.at(-1)) {
    one.moved.push(world.now)
    one.views.push(shown)
  }
  const isReady = pr.review === 'approved' && (pr.ci === 'passing' || pr.ci === 'none') && pr.mergeable === true
  if (pr.ci === 'passing' || pr.ci === 'none') end(world, one, 'ci-failed')
  if (pr.review !== 'changes_requested' && remarksFor(one, 'changes-requested').length === 0)
    end(world, one, 'changes-requested')
  if (remarksFor(one, 'bugbot-comments').length === 0) end(world, one, 'bugbot-comments')
  if (pr.hasConflicts === false) {
    const isProven = pr.ci === 'passing' || (pr.ci === 'none' && pr.review === 'approved')
    end(world, one, 'merge-conflicts', isProven ? 1 : 0)
  }
  if (!isReady) end(world, one, 'approved-and-green')
  return { ...pr, checks: [...pr.checks], comments: [...pr.comments] }
}

export function showActivity(world: World, one: Inhabitant): Inhabitant['activity'] {
  if (one.activity?.state === 'active')
    for (const key of REACTION_KEYS) if (key.startsWith('agent-')) end(world, one, key)
  return one.activity
}

/** `epochs` 0: it is gone for now, and whether it is over is open. */
function end(world: World, one: Inhabitant, key: ReactionKey, epochs = 1): void {
  one.epochs[key] = { number: (one.epochs[key]?.number ?? 0) + epochs, since: world.now }
}
