// What sessions spend on one day. Pure: the ledger so far and what each has spent in all go in, the new ledger comes out.
import type { DayEntry, DayLedger } from '../../contract/budget.ts'

export interface SessionCost {
  id: string
  costUsd: number | null
  /** As the agent reports it now; else as it was last recorded, which may be a little less than what was counted. */
  isCurrent: boolean
  /** It began on this day: everything it spent was spent today. */
  isNew: boolean
}

/** The same object when nothing changed. */
export function countDay(before: DayLedger | null, day: string, costs: readonly SessionCost[]): DayLedger {
  const isSameDay = before?.day === day
  const sessions: Record<string, DayEntry> = isSameDay ? before.sessions : carriedOver(before, costs)
  const changed = costs.flatMap((cost): Array<[string, DayEntry]> => {
    const entry = countOne(own(sessions, cost.id), cost)
    return entry === null ? [] : [[cost.id, entry]]
  })
  if (isSameDay && changed.length === 0) return before
  return { day, sessions: { ...sessions, ...Object.fromEntries(changed) } }
}

/** null: nothing new. */
function countOne(entry: DayEntry | undefined, cost: SessionCost): DayEntry | null {
  const { costUsd, isNew, isCurrent } = cost
  if (costUsd === null) return null
  // How much of it was spent before is unknown: it counts from now on.
  if (!entry) return { lastUsd: costUsd, todayUsd: isNew ? costUsd : 0 }
  if (costUsd === entry.lastUsd || (costUsd < entry.lastUsd && !isCurrent)) return null
  // A counter that went back was started anew or corrected: what was counted stays.
  return { lastUsd: costUsd, todayUsd: entry.todayUsd + Math.max(0, costUsd - entry.lastUsd) }
}

/** A new day begins at nothing; only sessions that are still there are remembered. */
function carriedOver(before: DayLedger | null, costs: readonly SessionCost[]): Record<string, DayEntry> {
  const there = new Set(costs.map(({ id }) => id))
  const entries = Object.entries(before?.sessions ?? {}).filter(([id]) => there.has(id))
  return Object.fromEntries(entries.map(([id, { lastUsd }]) => [id, { lastUsd, todayUsd: 0 }]))
}

function own(sessions: Record<string, DayEntry>, id: string): DayEntry | undefined {
  return Object.hasOwn(sessions, id) ? sessions[id] : undefined
}

export function spentOnDay(ledger: DayLedger | null, day: string): number {
  if (ledger?.day !== day) return 0
  return Object.values(ledger.sessions).reduce((sum, { todayUsd }) => sum + todayUsd, 0)
}
