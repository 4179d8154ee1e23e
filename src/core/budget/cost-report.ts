// What was spent, by agent, model, project, issue or merged pull request. Pure.
import type { Spent } from '../status/spent.ts'

export const COST_GROUPS = ['agent', 'model', 'project', 'issue', 'pull', 'session'] as const
export type CostGroup = (typeof COST_GROUPS)[number]

/** One session, running or ended. */
export interface CostEntry {
  session: string
  project: string
  agent: string
  model: string | null
  issue: string | null
  /** Only of one that was merged. */
  mergedPull: string | null
  /** ISO 8601 */
  createdAt: string
  spent: Spent | null
}

export interface CostRow {
  name: string
  sessions: number
  tokens: number
  /** null: no price is known. */
  costUsd: number | null
  /** Sessions with an unknown price: the sum is at least that. */
  unpriced: number
}

const NAMES: Record<CostGroup, (entry: CostEntry) => string | null> = {
  agent: ({ agent }) => agent,
  model: ({ model }) => model ?? 'unknown',
  project: ({ project }) => project,
  issue: ({ project, issue }) => (issue === null ? null : `${project} ${issue}`),
  pull: ({ mergedPull }) => mergedPull,
  session: ({ session }) => session,
}

/** The most expensive first. Sessions without an issue, or not merged, are left out where that is asked for. */
export function costReport(entries: readonly CostEntry[], by: CostGroup): CostRow[] {
  const used = entries.filter(({ spent }) => spent !== null)
  const groups = Map.groupBy(used, (entry) => NAMES[by](entry))
  return [...groups]
    .flatMap(([name, group]) => (name === null ? [] : [rowOf(name, group)]))
    .sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.tokens - a.tokens || (a.name < b.name ? -1 : 1))
}

function rowOf(name: string, group: readonly CostEntry[]): CostRow {
  const priced = group.flatMap(({ spent }) => spent?.costUsd ?? [])
  return {
    name,
    sessions: group.length,
    tokens: group.reduce((sum, { spent }) => sum + (spent?.tokens ?? 0), 0),
    costUsd: priced.length === 0 ? null : priced.reduce((sum, one) => sum + one, 0),
    unpriced: group.length - priced.length,
  }
}

/** As RFC 4180 quotes, and nothing that a spreadsheet would take for a formula. */
export function costCsv(rows: readonly CostRow[], by: CostGroup): string {
  const lines = rows.map(({ name, sessions, tokens, costUsd, unpriced }) => [
    cell(name),
    sessions,
    tokens,
    costUsd === null ? '' : costUsd.toFixed(4),
    unpriced,
  ])
  return [[by, 'sessions', 'tokens', 'cost_usd', 'unpriced_sessions'], ...lines]
    .map((line) => `${line.join(',')}\n`)
    .join('')
}

function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
