// Cases that can be listed, and which of them were played: of each command how often each failure can happen to it, and the places in
// the order of all cases that were played. Few slices of neighbours are a short text, and neighbours in the order are far apart.
import type { Random } from '../src/rehearsal/random.ts'
import { numbersOf, rangesOf, unionOf } from './ranges.ts'

export interface CasesOf {
  /** How many operations each failure can happen to; null: not counted yet. */
  of: Record<string, number> | null
  played: string
  /** Those of them that turned out not to be there: an operation fewer than when they were counted. */
  missed: string
}

export interface NthCase {
  failure: string
  n: number
}

export type AllCases = Record<string, CasesOf>

export function sizeOf(of: Record<string, number>): number {
  return Object.values(of).reduce((sum, count) => sum + count, 0)
}

/** Every case has one place, and what is next to each other there is scattered over operations and failures. */
export function caseAt(of: Record<string, number>, place: number): NthCase {
  const size = sizeOf(of)
  let index = (place * strideOf(size)) % size
  for (const [failure, count] of Object.entries(of)) {
    if (index < count) return { failure, n: index + 1 }
    index -= count
  }
  throw new RangeError(`there is no case ${place} of ${size}`)
}

function strideOf(size: number): number {
  for (let stride = Math.floor(size * 0.618); stride > 1; stride--) if (divisor(stride, size) === 1) return stride
  return 1
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}

/** The next that were not played, beginning anywhere; of all, once all were played. */
export function* unplayed({ of, played }: CasesOf, random: Random): Generator<number> {
  const size = sizeOf(of!)
  const before = new Set(numbersOf(played))
  const isNew = before.size < size ? (place: number) => !before.has(place) : () => true
  const first = random.below(size)
  for (let step = 0; step < size; step++) {
    const place = (first + step) % size
    if (isNew(place)) yield place
  }
}

export function withPlayed(cases: CasesOf, place: number, wasThere: boolean): CasesOf {
  const add = (ranges: string) => unionOf(ranges, rangesOf([place]))
  return { ...cases, played: add(cases.played), missed: wasThere ? cases.missed : add(cases.missed) }
}

/** Counted once: what was counted otherwise beside it has another order, and is dropped. */
export function addCases(before: AllCases, added: AllCases): AllCases {
  const sum = { ...before }
  for (const [command, cases] of Object.entries(added)) {
    const kept = sum[command]
    if (kept?.of == null) sum[command] = cases
    else if (JSON.stringify(kept.of) === JSON.stringify(cases.of))
      sum[command] = {
        of: kept.of,
        played: unionOf(kept.played, cases.played),
        missed: unionOf(kept.missed, cases.missed),
      }
  }
  return sum
}

/** `1,204 of 21,736 cases` */
export function describeCases(all: AllCases): string {
  const counted = Object.values(all)
  const missed = counted.reduce((sum, one) => sum + numbersOf(one.missed).length, 0)
  const played = counted.reduce((sum, one) => sum + numbersOf(one.played).length, 0) - missed
  const total = counted.reduce((sum, { of }) => sum + sizeOf(of ?? {}), 0) - missed
  const isPart = counted.some(({ of }) => of === null)
  return `${played.toLocaleString('en')} of ${isPart ? 'more than ' : ''}${total.toLocaleString('en')} cases`
}
