// Whether a session may spend more, and what happens when it may not. Pure.
import { type BudgetAction, parseAmount } from '../../contract/budget.ts'

/** As in the configuration. */
export interface BudgetFile {
  session?: string | number | undefined
  day?: string | number | undefined
  action?: BudgetAction | undefined
}

export interface Budget {
  sessionUsd: number | null
  /** Of the project, on one day. */
  projectDayUsd: number | null
  /** Of all projects together, on one day. */
  dayUsd: number | null
  action: BudgetAction
}

/** A session's own limit goes before its project's, and that before everybody's. */
export function resolveBudget(
  common: BudgetFile | undefined,
  project: BudgetFile | undefined,
  ownUsd: number | undefined,
): Budget {
  return {
    sessionUsd: ownUsd ?? amountOf(project?.session ?? common?.session),
    projectDayUsd: amountOf(project?.day),
    dayUsd: amountOf(common?.day),
    action: project?.action ?? common?.action ?? 'notify',
  }
}

function amountOf(given: string | number | undefined): number | null {
  return given === undefined ? null : parseAmount(given)
}

export interface Spending {
  sessionUsd: number | null
  projectDayUsd: number
  dayUsd: number
}

export type BudgetScope = 'session' | 'project-day' | 'day'

export interface OverBudget {
  scope: BudgetScope
  limitUsd: number
  spentUsd: number
  action: BudgetAction
  /** For people: `it has used $5.20 of the $5.00 for a session`. */
  text: string
  /** The limit alone: `a session may use $5.00`. */
  limitText: string
}

const LIMITS: ReadonlyArray<{
  scope: BudgetScope
  limit: (budget: Budget) => number | null
  spent: (spending: Spending) => number | null
  text: (spent: string) => string
  limitText: (limit: string) => string
}> = [
  {
    scope: 'session',
    limit: ({ sessionUsd }) => sessionUsd,
    spent: ({ sessionUsd }) => sessionUsd,
    text: (spent) => `it has used ${spent}`,
    limitText: (limit) => `a session may use ${limit}`,
  },
  {
    scope: 'project-day',
    limit: ({ projectDayUsd }) => projectDayUsd,
    spent: ({ projectDayUsd }) => projectDayUsd,
    text: (spent) => `its project has used ${spent} today`,
    limitText: (limit) => `its project may use ${limit} a day`,
  },
  {
    scope: 'day',
    limit: ({ dayUsd }) => dayUsd,
    spent: ({ dayUsd }) => dayUsd,
    text: (spent) => `all projects have used ${spent} today`,
    limitText: (limit) => `all projects may use ${limit} a day`,
  },
]

/** Whether these are the words of a session's own limit, which can be raised for it alone. */
export function isSessionLimit(limitText: string): boolean {
  return limitText.startsWith(LIMITS[0]!.limitText(''))
}

/** null: it may spend more, or what it spends is unknown. */
export function findOverBudget(budget: Budget, spending: Spending): OverBudget | null {
  for (const { scope, limit, spent, text: spentText, limitText: limitWords } of LIMITS) {
    const limitUsd = limit(budget)
    const spentUsd = spent(spending)
    if (limitUsd === null || spentUsd === null || spentUsd < limitUsd) continue
    const limitText = limitWords(usd(limitUsd))
    const text = `${spentText(usd(spentUsd))}; ${limitText}`
    return { scope, limitUsd, spentUsd, action: budget.action, text, limitText }
  }
  return null
}

/**
 * What it is about: the same limit is acted on once, and again at each further multiple of it. That is how often somebody
 * who lets an agent continue hears of it.
 */
export function budgetFingerprint({ scope, limitUsd, spentUsd, action }: OverBudget, day: string): string {
  const times = Math.floor(spentUsd / limitUsd)
  return [scope, limitUsd, times, action, ...(scope === 'session' ? [] : [day])].join(' ')
}

export function usd(amount: number): string {
  return `$${amount.toFixed(2)}`
}
