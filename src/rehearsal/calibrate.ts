// How a recorded day went, as rates that a rehearsal can be given, and how near a rehearsal with them comes to it.
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
  personMinutes: number
}

/** Of a session, as far as it is needed here. */
interface Followed {
  startedAt: number
  openedAt: number | null
  landedAt: number | null
  movedAt: number
  head: string
  ci: string
  review: string
  greenAt: number | null
  headAt: number
  heads: number
  brokenHeads: number
  remarks: number
  isMet: boolean
  /** Asked to repair something at this time, and has not answered. */
  askedAt: number | null
}

const STRANDED_MS = 45 * MINUTE
const REPAIRS = new Set(['ci-failed', 'changes-requested', 'bugbot-comments', 'merge-conflicts', 'landing-failed'])

function measureDay(lines: readonly CassetteLine[]): MeasuredDay {
  const lives = new Map<string, Followed>()
  const found = { repair: [] as number[], ci: [] as number[], person: [] as number[] }
  const from = lines[0]?.t ?? 0
  const to = lines.at(-1)?.t ?? 0
  for (const line of lines) {
    if (line.k !== 'round') continue
    for (const [id, { record, pulls }] of Object.entries(line.s)) {
      const createdAt = Date.parse(record?.createdAt ?? '')
      const life = lives.get(id) ?? newLife(Number.isNaN(createdAt) ? line.t : Math.max(from, createdAt))
      lives.set(id, life)
      if (record?.endedAs === 'merged') life.landedAt ??= line.t
      for (const news of pulls ?? []) follow(life, news as never, line.t, found)
    }
    for (const [id, decisions] of Object.entries(line.d ?? {})) {
      const life = lives.get(id)
      const asks = decisions.some(([key, action]) => action === 'send-to-agent' && REPAIRS.has(key.split(' ')[0]!))
      if (!life || !asks) continue
      life.askedAt ??= line.t
    }
  }
  const all = [...lives.values()].sort((a, b) => a.startedAt - b.startedAt)
  const opened = all.filter(({ openedAt }) => openedAt !== null)
  const isStranded = ({ landedAt, movedAt }: Followed) => landedAt === null && to - movedAt > STRANDED_MS
  const stranded = opened.filter(isStranded)
  let pairs = opened.filter(({ isMet }) => isMet).length
  return {
    hours: Math.max(1 / 60, (to - from) / (60 * MINUTE)),
    requests: opened.length,
    landed: opened.filter(({ landedAt }) => landedAt !== null).length,
    stranded: stranded.length,
    ciMinutes: Math.max(1, Math.round(median(found.ci) ?? 5)),
    personMinutes: Math.round(median(found.person) ?? 10),
    rates: {
      starts: all.map(({ startedAt }) => Math.round((startedAt - from) / MINUTE)),
      lives: all.map((life) => ({
        work: life.openedAt === null ? (to - from) / MINUTE : (life.openedAt - life.startedAt) / MINUTE,
        broken: life.brokenHeads,
        remarks: life.remarks,
        // Of two that meet, one lands without a word, and only the other is seen.
        meetsOthers: life.isMet || (isLandedFirst(life) && pairs-- > 0),
        givesUpAt: isStranded(life) && life.askedAt !== null ? life.heads : null,
      })),
      repair: found.repair.length > 0 ? found.repair : [8],
      groupSize: 2,
    },
  }
}

function isLandedFirst({ landedAt, isMet }: Followed): boolean {
  return landedAt !== null && !isMet
}

function newLife(startedAt: number): Followed {
  return {
    ...{ startedAt, openedAt: null, landedAt: null, movedAt: startedAt, head: '', ci: '', review: '', greenAt: null },
    ...{ headAt: startedAt, heads: 0, brokenHeads: 0, remarks: 0, isMet: false, askedAt: null },
  }
}

interface SeenPull {
  pull: { headSha: string; ci: string; review: string; state: string; hasConflicts: boolean | null }
  landing: { why: string } | null
}

type Found = Record<'repair' | 'ci' | 'person', number[]>

function follow(life: Followed, { pull, landing }: SeenPull, now: number, found: Found): void {
  const { headSha, ci, review, state } = pull
  const minutes = (since: number) => Math.max(1, Math.round((now - since) / MINUTE))
  life.openedAt ??= now
  if (headSha !== life.head) {
    if (life.askedAt !== null) found.repair.push(minutes(life.askedAt))
    Object.assign(life, { head: headSha, headAt: now, heads: life.heads + 1, ci: '', askedAt: null, greenAt: null })
  }
  if (ci !== life.ci && (ci === 'passing' || ci === 'failing')) found.ci.push(minutes(life.headAt))
  if (ci === 'failing' && life.ci !== 'failing') life.brokenHeads += 1
  if (review === 'changes_requested' && life.review !== review) life.remarks += 1
  if (ci === 'passing' && review !== 'approved') life.greenAt ??= now
  if (review === 'approved' && life.review !== 'approved' && life.greenAt !== null)
    found.person.push(minutes(life.greenAt))
  if (pull.hasConflicts === true || landing?.why === 'conflict') life.isMet = true
  if (state === 'merged') life.landedAt ??= now
  Object.assign(life, { ci, review, movedAt: now })
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
  const { rates, ciMinutes, personMinutes, hours } = recorded
  const days: DayFigures[] = []
  for (const seed of SEEDS) {
    const text: string[] = []
    const record = (line: string) => void text.push(line)
    const usual = { mix: { steady: 1 }, agents: rates.starts.length, faults: false }
    await rehearse({ ...given, ...usual, seed, hours, ciMinutes, personMinutes, rates, record })
    days.push(measureDay(parseCassette(text.join(''), 'rehearsal')))
  }
  const middle = (of: keyof DayFigures) => median(days.map((day) => day[of]))!
  const predicted = { requests: middle('requests'), landed: middle('landed'), stranded: middle('stranded') }
  const offOf = (of: keyof DayFigures) =>
    Math.max(0, Math.abs(predicted[of] - recorded[of]) - 1) / Math.max(1, recorded[of])
  return { recorded, predicted, off: Math.max(offOf('requests'), offOf('landed'), offOf('stranded')) }
}
