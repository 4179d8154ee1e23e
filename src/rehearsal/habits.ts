// How scripted agents behave: how long they work, and what each kind of them does wrong. Times are minutes.
import type { Random } from './random.ts'

export const HABITS = [
  'steady',
  'slow',
  'stuck',
  'breaks-ci',
  'conflicts',
  'asks',
  'limited',
  'dies',
  'gives-up',
] as const
export type Habit = (typeof HABITS)[number]

/** What a team may look like when nothing else is said. */
export const USUAL_MIX: Readonly<Record<Habit, number>> = {
  steady: 8,
  slow: 2,
  stuck: 1,
  'breaks-ci': 3,
  conflicts: 2,
  asks: 2,
  limited: 1,
  dies: 1,
  'gives-up': 0,
}

/** How a recorded day went, in place of habits (calibrate.ts). Times are minutes; of lists, one is picked. */
export interface Rates {
  /** When each session was started, from the beginning of the day. */
  starts: readonly number[]
  /** Each of them, in the same order. */
  lives: readonly Life[]
  repair: readonly number[]
  /** How long the person was at each review. */
  review: readonly number[]
}

/** One session of it. */
export interface Life {
  /** Until it had a pull request; longer than the day: it never had one. */
  work: number
  /** Heads that failed their checks before one did not. */
  broken: number
  /** How often changes were requested. */
  remarks: number
  /** Whether anybody approved it; otherwise nobody read it to the end. */
  isApproved: boolean
  /** Numbers, from 1, of those that change the same lines. */
  meets: readonly number[]
  /** With this head it stopped answering; null: it never did. */
  givesUpAt: number | null
}

export function pickHabit(random: Random, mix: Readonly<Partial<Record<Habit, number>>>): Habit {
  const weighted = HABITS.flatMap((habit) => Array<Habit>(mix[habit] ?? 0).fill(habit))
  return random.pick(weighted)
}

/** The first version of a pull request. */
export function workMinutes(random: Random, habit: Habit): number {
  return (10 + random.below(40)) * (habit === 'slow' ? 4 : 1)
}

export function repairMinutes(random: Random, habit: Habit): number {
  return (3 + random.below(12)) * (habit === 'slow' ? 4 : 1)
}

/** In one minute of work. */
export function mishap(random: Random, habit: Habit): 'asks' | 'falls silent' | 'hits its limit' | 'dies' | null {
  if (habit === 'asks' && random.chance(0.05)) return 'asks'
  if (habit === 'stuck' && random.chance(0.03)) return 'falls silent'
  if (habit === 'limited' && random.chance(0.02)) return 'hits its limit'
  if (habit === 'dies' && random.chance(0.02)) return 'dies'
  return random.chance(0.001) ? 'asks' : null
}

/** Is the head that it pushes broken by itself, at this attempt? */
export function pushesBroken(random: Random, habit: Habit, attempt: number): boolean {
  return random.chance(habit === 'breaks-ci' || habit === 'gives-up' ? 0.8 / attempt : 0.05 / attempt)
}
