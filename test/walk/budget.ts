// What each flow may cost its reader. A change may lower a budget and never raise it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Walk } from './count-walk.ts'
import { FLOWS, type Flow } from './flows.ts'
import { ROOT } from './instrument.ts'

const FILE = 'test/walk/budget.json'
const COUNTS = ['files', 'returns'] as const

export type Budgets = Record<Flow, Record<(typeof COUNTS)[number], number>>

/** Runs on an idle and on a crowded machine differ by one: whether something has to be waited for decides who asks again. */
const MARGIN = { files: 2, returns: 2 }

export const readBudgets = (): Budgets => JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')) as Budgets

/** One line for each flow that is above its budget. */
export function overBudget(walks: Record<Flow, Walk>, budgets: Budgets): string[] {
  return compare(walks, budgets, (count, budget, name) =>
    count > budget + MARGIN[name] ? `${count} ${name}, and its budget is ${budget}` : null,
  )
}

/** One line for each budget that is higher than it needs to be. */
export function wellBelow(walks: Record<Flow, Walk>, budgets: Budgets): string[] {
  return compare(walks, budgets, (count, budget, name) =>
    count < budget - MARGIN[name] ? `${count} ${name}: lower its budget of ${budget} in ${FILE}` : null,
  )
}

/** Budgets that are higher than in a commit before. */
export function raisedBudgets(): string[] {
  const budgets = readBudgets()
  return earlierBudgets().flatMap(({ commit, budgets: before }) =>
    compare(before, budgets, (count, budget, name) =>
      budget > count ? `${budget} ${name} instead of ${count} in ${commit}` : null,
    ),
  )
}

function earlierBudgets(): Array<{ commit: string; budgets: Budgets }> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' })
  try {
    const commits = git('log', '--format=%h', '--', FILE).split('\n').filter(Boolean)
    return commits.map((commit) => ({ commit, budgets: JSON.parse(git('show', `${commit}:${FILE}`)) as Budgets }))
  } catch {
    // Not a checkout, such as an unpacked archive: nobody changes budgets there.
    return []
  }
}

function compare(
  walks: Record<Flow, Record<(typeof COUNTS)[number], number>>,
  budgets: Budgets,
  judge: (count: number, budget: number, name: (typeof COUNTS)[number]) => string | null,
): string[] {
  return (Object.keys(FLOWS) as Flow[]).flatMap((flow) =>
    COUNTS.flatMap((name) => {
      const found = judge(walks[flow][name], budgets[flow][name], name)
      return found === null ? [] : [`${flow}: ${found}`]
    }),
  )
}
