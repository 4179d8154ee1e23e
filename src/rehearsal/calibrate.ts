// How a recorded day went, as rates that a rehearsal can be given, and how near a rehearsal with them comes to it.
import type { Pull } from '../contract/pull.ts'
import type { CassetteLine } from '../core/recording/cassette.ts'
import { median } from '../core/text/format-age.ts'
import type { Rates } from './habits.ts'
import { parseCassette } from './read-cassette.ts'
import { type RehearsalOptions, rehearse } from './rehearse.ts'
import { MINUTE } from './world.ts'

export interface DayFigures {
  requests: number
  landed: number
  /** Open, and nothing has moved for a while. */
  stranded: number
}

export interface MeasuredDay extends DayFigures {
  hours: number
  rates: Rates
  ciMinutes: number
  /** From boarding, or the landing before it. */
  carMinutes: number
  /** Milliseconds: nothing shorter was measured. */
  step: number
}

/** Of a session, as far as it is needed here. */
interface Followed {
  startedAt: number
  openedAt: number | null
  landedAt: number | null
  movedAt: number
  /** Each once, in their order: an agent may go back to one. */
  heads: string[]
  head: string
  /** The loop was started again, and its hashes are others: the next head is the one that it had. */
  isHashedAnew: boolean
  ci: string
  review: string
  greenAt: number | null
  headAt: number
  brokenHeads: number
  remarks: number
  isApproved: boolean
  isMet: boolean
  /** Pull requests that were in its way. */
  partners: Set<number>
  /** The radar saw it in conflict. */
  collides: boolean
  number: number | null
  /** Asked to repair something, for the first time and since its last answer. */
  firstAskedAt: number | null
  askedAt: number | null
}

/** A cassette is that of one day, and anybody may have written it: time that is not in a day is not rehearsed. */
const LONGEST_HOURS = 25
/** A day of minutes is rehearsed in seconds: a minute is too coarse for it. */
const MOST_STEPS = 240
const SHORTEST_STEP = 500
const STRANDED_MS = 45 * MINUTE
/** A day that was recorded for less than six hours has less time to stand still. */
const STRANDED_SHARE = 1 / 8
const REPAIRS = new Set(['ci-failed', 'changes-requested', 'bugbot-comments', 'merge-conflicts', 'landing-failed'])

function measureDay(lines: readonly CassetteLine[]): MeasuredDay {
  const lives = new Map<string, Followed>()
  const boardedAt = new Map<number | null, number>()
  const from = lines[0]?.t ?? 0
  const to = Math.min(lines.at(-1)?.t ?? 0, from + LONGEST_HOURS * 60 * MINUTE)
  const step = Math.min(MINUTE, Math.max(SHORTEST_STEP, (to - from) / MOST_STEPS))
  const found: Found = { step, repair: [], ci: [], review: [], car: [], lastVerdictAt: 0, lastLandingAt: 0 }
  for (const line of lines) {
    if (line.k === 'start') for (const life of lives.values()) life.isHashedAnew = life.head !== ''
    if (line.k === 'train' && line.type === 'boarded') boardedAt.set(line.pull, line.t)
    if (line.k === 'train' && line.type === 'landed') {
      const since = Math.max(boardedAt.get(line.pull) ?? line.t, found.lastLandingAt)
      found.car.push(minutesFrom(since, line.t, step))
      found.lastLandingAt = line.t
    }
    if (line.k !== 'round' || line.t > to) continue
    for (const [id, { record, pulls, collisions }] of Object.entries(line.s)) {
      const createdAt = Date.parse(record?.createdAt ?? '')
      const life = lives.get(id) ?? newLife(Number.isNaN(createdAt) ? line.t : Math.max(from, createdAt))
      lives.set(id, life)
      if (record?.endedAs === 'merged') life.landedAt ??= line.t
      for (const news of pulls ?? []) follow(life, news as never, line.t, found)
      if (collisions?.some(({ red }) => !red)) life.collides = true
    }
    for (const [id, decisions] of Object.entries(line.d ?? {})) {
      const life = lives.get(id)
      const asks = decisions.some(([key, action]) => action === 'send-to-agent' && REPAIRS.has(key.split(' ')[0]!))
      if (!life || !asks) continue
      life.firstAskedAt ??= line.t
      life.askedAt ??= line.t
    }
  }
  const all = [...lives.values()].sort((a, b) => a.startedAt - b.startedAt)
  const opened = all.filter(({ openedAt }) => openedAt !== null)
  const strandedMs = Math.min(STRANDED_MS, (to - from) * STRANDED_SHARE)
  const isStranded = ({ landedAt, movedAt }: Followed) => landedAt === null && to - movedAt > strandedMs
  const stranded = opened.filter(isStranded)
  const meetings = meetingsOf(all)
  /** Of what the day did not show, as much as it has room for. */
  const usual = (minutes: number) => Math.min(minutes, (to - from) / MINUTE / 20)
  return {
    hours: Math.max(1 / 60, (to - from) / (60 * MINUTE)),
    requests: opened.length,
    landed: opened.filter(({ landedAt }) => landedAt !== null).length,
    stranded: stranded.length,
    ciMinutes: median(found.ci) ?? usual(5),
    carMinutes: median(found.car) ?? median(found.ci) ?? usual(5),
    step,
    rates: {
      starts: all.map(({ startedAt }) => (startedAt - from) / MINUTE),
      lives: all.map((life, index) => ({
        work: life.openedAt === null ? (to - from) / MINUTE : (life.openedAt - life.startedAt) / MINUTE,
        broken: life.brokenHeads,
        remarks: life.remarks,
        isApproved: life.isApproved || life.landedAt !== null,
        meets: [...meetings[index]!],
        // An attempt that it took back is none.
        givesUpAt: isStranded(life) && life.askedAt !== null ? life.heads.indexOf(life.head) + 1 : null,
      })),
      repair: found.repair.length > 0 ? found.repair : [usual(8)],
      review: found.review.length > 0 ? found.review : [usual(10)],
    },
  }
}

/** Who is in whose way: those that somebody named, and among those that never landed all that the radar saw in conflict. */
function meetingsOf(all: readonly Followed[]): Array<Set<number>> {
  const met = all.map(() => new Set<number>())
  const join = (one: number, other: number) => {
    if (one === other) return
    met[one]!.add(other + 1)
    met[other]!.add(one + 1)
  }
  const byPull = new Map(all.map(({ number }, index) => [number, index]))
  const left: number[] = []
  for (const [index, { partners, collides, landedAt }] of all.entries()) {
    for (const partner of partners) if (byPull.has(partner)) join(index, byPull.get(partner)!)
    if (collides && landedAt === null && left.length < MOST_LEFT) left.push(index)
  }
  for (const one of left) for (const other of left) join(one, other)
  // Nobody said with whom: with somebody who landed without a word.
  const silent = all.flatMap(({ landedAt, isMet }, index) => (landedAt !== null && !isMet ? [index] : []))
  for (const [index, { isMet }] of all.entries())
    if (isMet && met[index]!.size === 0 && silent.length > 0) join(index, silent.shift()!)
  return met
}

/** Of each pair of these something is kept. */
const MOST_LEFT = 200

function newLife(startedAt: number): Followed {
  return {
    ...{ startedAt, openedAt: null, landedAt: null, movedAt: startedAt, head: '', ci: '', review: '', greenAt: null },
    ...{ headAt: startedAt, heads: [], brokenHeads: 0, remarks: 0, isMet: false, partners: new Set(), collides: false },
    ...{ number: null, firstAskedAt: null, askedAt: null, isHashedAnew: false, isApproved: false },
  }
}

type SeenPull = {
  pull: Pick<Pull, 'headSha' | 'ci' | 'review' | 'state' | 'hasConflicts'> & { pr: { number: number } }
  landing: { why: string; partners?: number[] } | null
}

interface Found {
  step: number
  repair: number[]
  ci: number[]
  review: number[]
  car: number[]
  lastVerdictAt: number
  lastLandingAt: number
}

function minutesFrom(since: number, now: number, step: number): number {
  return Math.max(step, now - since) / MINUTE
}

function follow(life: Followed, { pull, landing }: SeenPull, now: number, found: Found): void {
  const { headSha, ci, review, state } = pull
  const minutes = (since: number) => minutesFrom(since, now, found.step)
  life.openedAt ??= now
  life.number ??= pull.pr.number
  // What is only said again has not moved.
  const isMoved = !life.isHashedAnew || ci !== life.ci || review !== life.review
  if (life.isHashedAnew) {
    life.heads[life.heads.indexOf(life.head)] = headSha
    Object.assign(life, { head: headSha, isHashedAnew: false })
  }
  if (headSha !== life.head) {
    const isNew = !life.heads.includes(headSha)
    if (isNew) life.heads.push(headSha)
    if (isNew && life.askedAt !== null) found.repair.push(minutes(life.askedAt))
    // Back to what it had: the attempt failed, and nothing was answered.
    const askedAt = isNew ? null : life.firstAskedAt
    Object.assign(life, { head: headSha, headAt: now, ci: '', askedAt, greenAt: null })
  }
  if (ci !== life.ci && (ci === 'passing' || ci === 'failing')) found.ci.push(minutes(life.headAt))
  if (ci === 'failing' && life.ci !== 'failing') life.brokenHeads += 1
  if (review === 'changes_requested' && life.review !== review) life.remarks += 1
  if (review === 'approved') life.isApproved = true
  if (ci === 'passing' && review !== 'approved') life.greenAt ??= now
  if ((review === 'approved' || review === 'changes_requested') && life.review !== review && life.greenAt !== null) {
    found.review.push(minutes(Math.max(life.greenAt, found.lastVerdictAt)))
    found.lastVerdictAt = now
  }
  if (pull.hasConflicts === true || landing?.why === 'conflict') life.isMet = true
  for (const partner of landing?.why === 'conflict' ? (landing.partners ?? []) : []) life.partners.add(partner)
  if (state === 'merged') life.landedAt ??= now
  Object.assign(life, { ci, review, movedAt: isMoved ? now : life.movedAt })
}

export interface Calibration {
  recorded: MeasuredDay
  predicted: DayFigures
  /** The furthest that one of them is off, as a share of what was recorded; one session more or less does not count. */
  off: number
}

const SEEDS = [1, 2, 3, 4, 5]
type Given = Pick<RehearsalOptions, 'config' | 'project' | 'paths'>

/** The middle of some rehearsals of a day with these rates. */
export async function calibrate(lines: readonly CassetteLine[], given: Given): Promise<Calibration> {
  const recorded = measureDay(lines)
  const { rates, ciMinutes, carMinutes, hours, step } = recorded
  const days: DayFigures[] = []
  for (const seed of SEEDS) {
    const text: string[] = []
    const record = (line: string) => void text.push(line)
    const usual = { mix: { steady: 1 }, agents: rates.starts.length, faults: false }
    await rehearse({ ...given, ...usual, seed, hours, ciMinutes, carMinutes, step, personMinutes: 0, rates, record })
    days.push(measureDay(parseCassette(text.join(''), 'rehearsal')))
  }
  const middle = (of: keyof DayFigures) => median(days.map((day) => day[of]))!
  const predicted = { requests: middle('requests'), landed: middle('landed'), stranded: middle('stranded') }
  const offOf = (of: keyof DayFigures) =>
    Math.max(0, Math.abs(predicted[of] - recorded[of]) - 1) / Math.max(1, recorded[of])
  return { recorded, predicted, off: Math.max(offOf('requests'), offOf('landed'), offOf('stranded')) }
}
