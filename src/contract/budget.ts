// How much sessions may spend, and what happens when they have.
import { recordOf } from './record.ts'

/** pause: its turn is stopped and nothing starts another by itself. stop: its agent is ended, its work kept. */
export const BUDGET_ACTIONS = ['notify', 'pause', 'stop'] as const
export type BudgetAction = (typeof BUDGET_ACTIONS)[number]

/** `5`, `5 USD`, `$5`, `0.50 USD`. */
export const AMOUNT = /^\$?(?!0+(?:\.0+)?(?: ?USD)?$)(\d{1,9}(?:\.\d{1,4})?)(?: ?USD)?$/i

/** null: not an amount of money. */
export function parseAmount(given: string | number): number | null {
  if (typeof given === 'number') return Number.isFinite(given) && given > 0 ? given : null
  const amount = Number(AMOUNT.exec(given.trim())?.[1] ?? Number.NaN)
  return Number.isFinite(amount) && amount > 0 ? amount : null
}

/** Has anybody set a limit that concerns these sessions? */
export function hasBudget(
  config: { budget?: unknown },
  project: { budget?: unknown },
  sessions: ReadonlyArray<Parameters<typeof recordOf>[0]>,
): boolean {
  if (config.budget !== undefined || project.budget !== undefined) return true
  return sessions.some((session) => recordOf(session).budgetUsd !== undefined)
}

/** What a project's sessions spent on one day, kept over restarts and after a session was removed. */
export interface DayLedger {
  /** As in `2026-11-15`, in local time. */
  day: string
  sessions: Record<string, DayEntry>
}

export interface DayEntry {
  /** What it had spent in all when it was last counted. */
  lastUsd: number
  /** What of it was spent on this day. */
  todayUsd: number
}
