// What a project's sessions have spent today, kept on disk: a restart forgets nothing, and neither does removing a session.
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DayLedger } from '../../contract/budget.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { countDay, type SessionCost, spentOnDay } from '../../core/budget/count-day.ts'
import { findOverBudget, type OverBudget, resolveBudget } from '../../core/budget/find-over-budget.ts'
import { spentOf } from '../../core/status/spent.ts'
import { newerVersionIn, writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import type { ObservedSession } from '../../manager/observe/observe-sessions.ts'
import type { LoopContext } from '../loop/loop-context.ts'

export const LEDGER_FILE = 'spending.json'

/** Counted only where somebody set a budget. */
export interface Spending {
  day: string
  projectDayUsd: number
  /** Of all projects of the configuration. */
  dayUsd: number
}

export function countSpending(
  loop: LoopContext,
  project: ProjectConfig,
  { all, observed }: { all: readonly Session[]; observed: readonly ObservedSession[] },
): Spending {
  const { config, clock } = loop.context
  const day = localDay(clock.now())
  const fresh = new Map(observed.map(({ session, info }) => [session.id, { ...session, agentInfo: info }]))
  const costs = all.map((session): SessionCost => {
    const now = fresh.get(session.id) ?? session
    const isCurrent = typeof now.agentInfo?.cost?.estimatedCostUsd === 'number'
    const costUsd = spentOf(now)?.costUsd ?? null
    return { id: session.id, costUsd, isCurrent, isNew: localDay(session.createdAt) === day }
  })
  const before = ledgerOf(loop, project.id)
  const after = countDay(before, day, costs)
  loop.ledgers.set(project.id, after)
  if (after !== before) keep(loop, project.id, after)
  const others = Object.keys(config.projects).map((id) => spentOnDay(ledgerOf(loop, id), day))
  return { day, projectDayUsd: spentOnDay(after, day), dayUsd: others.reduce((sum, one) => sum + one, 0) }
}

/** null: it may spend more. */
export function overBudgetOf(
  loop: LoopContext,
  project: ProjectConfig,
  session: Session | null,
  { projectDayUsd, dayUsd }: Spending,
): OverBudget | null {
  const own = session === null ? undefined : recordOf(session).budgetUsd
  const budget = resolveBudget(loop.context.config.budget, project.budget, own)
  const sessionUsd = session === null ? null : (spentOf(session)?.costUsd ?? null)
  return findOverBudget(budget, { sessionUsd, projectDayUsd, dayUsd })
}

/** As a person at this machine counts days. */
export function localDay(date: Date): string {
  if (Number.isNaN(date.getTime())) return ''
  const two = (number: number) => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function ledgerOf(loop: LoopContext, projectId: string): DayLedger | null {
  const cached = loop.ledgers.get(projectId)
  if (cached !== undefined) return cached
  const read = readLedger(fileOf(loop, projectId))
  if (read !== null) loop.ledgers.set(projectId, read)
  return read
}

function fileOf(loop: LoopContext, projectId: string): string {
  return join(loop.context.paths.project(projectId).dir, LEDGER_FILE)
}

function readLedger(file: string): DayLedger | null {
  try {
    const text = existsSync(file) ? readIfThere(file) : null
    if (text === null) return null
    const parsed: unknown = JSON.parse(text)
    if (isLedger(parsed)) return parsed
  } catch (error) {
    // Our own writes are atomic plain files, so something else wrote this. It is kept, and counting starts anew.
    if (!(error instanceof SyntaxError || error instanceof AoError)) throw error
  }
  // One of a newer program stays; counting starts anew in memory, and that it cannot be kept is in the log.
  if (newerVersionIn(file) === null) renameSync(file, `${file}.damaged`)
  return null
}

function isLedger(value: unknown): value is DayLedger {
  const { day, sessions } = (value ?? {}) as Partial<DayLedger>
  if (typeof day !== 'string' || typeof sessions !== 'object' || sessions === null) return false
  return Object.values(sessions).every(
    (one) => Number.isFinite(one?.lastUsd) && Number.isFinite(one.todayUsd) && one.todayUsd >= 0,
  )
}

/** Anything that cannot be written now counts in memory and is written with the next change. */
function keep(loop: LoopContext, projectId: string, ledger: DayLedger): void {
  const file = fileOf(loop, projectId)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileAtomic(file, JSON.stringify(ledger))
  } catch (error) {
    loop.context.log.error(`what ${projectId} has spent today could not be written down: ${errorText(error)}`)
  }
}
