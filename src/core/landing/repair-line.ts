// Who is asked to rebase. Of pull requests that conflict with each other only the next one is, onto what it will land on: each
// landing would undo the rebase of all others. The rest waits, and it is known for whom. Pure.
import type { RiderFacts, Train, TreeResult } from './decide-train.ts'
import type { LeaveReason, TrainEventBody, TrainState } from './train-state.ts'

export interface LineFacts {
  pulls: readonly RiderFacts[]
  /** Do the two conflict? */
  collide(a: number, b: number): boolean
  /** Whoever was asked at this time may still be at it: after that the next one is asked, and a person called. */
  isRecent(at: string): boolean
}

/** It conflicts, and is not asked to rebase yet. */
export interface Waiting {
  pull: number
  headSha: string
  /** Those that land or are repaired before it. */
  behind: number[]
}

export interface Turns {
  events: TrainEventBody[]
  waiting: Waiting[]
}

/** Reasons for which an agent was asked to rebase. */
const REQUESTS: readonly LeaveReason[] = ['conflict', 'stranded']

/** Asked to rebase a short while ago, and at it, or done with a head that has not landed yet. */
function inRepair({ left }: TrainState, { pulls, isRecent }: LineFacts): number[] {
  return left.flatMap(({ pull, headSha, why, at }) => {
    const now = pulls.find(({ number }) => number === pull)
    if (now === undefined || !REQUESTS.includes(why) || !isRecent(at)) return []
    return now.headSha === headSha || now.conflicts !== true ? [pull] : []
  })
}

/** Pull requests that are not aboard and conflict with the base branch, approved and green ones first. */
export function decideAshore(state: TrainState, base: string, facts: LineFacts): Turns {
  const aboard = state.riders.map(({ pull }) => pull)
  const wasAsked = ({ number, headSha }: RiderFacts) =>
    state.left.some((left) => left.pull === number && left.headSha === headSha && REQUESTS.includes(left.why))
  const inConflict = facts.pulls
    .filter(({ hasAgent, conflicts, below }) => hasAgent === true && conflicts === true && below === undefined)
    .filter((pull) => !aboard.includes(pull.number) && !wasAsked(pull))
    .sort((a, b) => Number(b.ready) - Number(a.ready) || a.number - b.number)
    .map(({ number, headSha }) => ({ pull: number, headSha, files: [] }))
  return takeTurns(inConflict, [...aboard, ...inRepair(state, facts)], facts, () => ({ commit: base, cars: [] }))
}

/** Riders that do not merge with the base branch, and those that do not fit behind cars which are green. */
export function decideAboard(
  state: TrainState,
  { base, cars, conflicts, meets = [] }: Train,
  facts: LineFacts,
  resultOf: (tree: string) => TreeResult | null,
): Turns {
  const repaired = inRepair(state, facts)
  const built = cars.map(({ pull }) => pull)
  const stale = takeTurns(conflicts, [...built, ...repaired], facts, () => ({ commit: base, cars: [] }))
  const stuck = meets.map(({ behind, ...one }) => ({ ...one, ahead: cars.slice(0, behind) }))
  const isGreen = ({ ahead }: { ahead: Train['cars'] }) => {
    const results = ahead.map(({ tree }) => resultOf(tree)?.state)
    return results.at(-1) === 'passed' && !results.includes('failed')
  }
  const requested = stale.events.flatMap((event) => ('pull' in event && event.pull !== null ? [event.pull] : []))
  const others = [...requested, ...repaired.filter((pull) => !built.includes(pull))]
  const fitting = takeTurns(stuck.filter(isGreen), others, facts, ({ ahead }) => {
    return { commit: ahead.at(-1)!.commit, cars: ahead.map(({ pull, headSha }) => ({ pull, headSha })) }
  })
  const passed = fitting.events.map((event): TrainEventBody => {
    if (event.type !== 'left') return event
    return { ...event, passedOver: (state.riders.find(({ pull }) => pull === event.pull)?.passedOver ?? 0) + 1 }
  })
  const early = stuck.filter((one) => !isGreen(one))
  const untested = early.map(({ pull, headSha, ahead }) => ({ pull, headSha, behind: ahead.map((car) => car.pull) }))
  return { events: [...stale.events, ...passed], waiting: [...stale.waiting, ...fitting.waiting, ...untested] }
}

type Candidate = Train['conflicts'][number]

function takeTurns<T extends Candidate>(
  candidates: readonly T[],
  ahead: readonly number[],
  { collide }: LineFacts,
  ontoOf: (one: T) => { commit: string; cars: Array<{ pull: number; headSha: string }> },
): Turns {
  const turns: Turns = { events: [], waiting: [] }
  const requested: number[] = []
  for (const one of candidates) {
    const { pull, headSha, files, said } = one
    const behind = [...new Set([...ahead, ...requested])].filter((other) => other !== pull && collide(other, pull))
    if (behind.length > 0) {
      turns.waiting.push({ pull, headSha, behind })
      continue
    }
    requested.push(pull)
    turns.events.push({ type: 'left', pull, headSha, files, said, why: 'conflict', onto: ontoOf(one) })
  }
  return turns
}
