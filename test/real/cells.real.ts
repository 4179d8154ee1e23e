// Every cell of docs/agents.md with real agents, whose model is scripted. Prints the table.
// AO_REAL_AGENTS=codex,pi  AO_REAL_RUNTIMES=tmux  AO_REAL_CELLS=restore choose some of them.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { buildAo } from '../support/run-ao.ts'
import { CELLS, type Outcome } from './cells/cells.ts'
import { printTable } from './cells/print-table.ts'
import { beginLife, type Life } from './cells/session-life.ts'
import { TERMINAL_AGENTS } from './terminal-agents.ts'

const chosen = (name: string) => process.env[name]?.split(',')
const agents = TERMINAL_AGENTS.filter(({ ao }) => chosen('AO_REAL_AGENTS')?.includes(ao) ?? true)
const runtimes = chosen('AO_REAL_RUNTIMES') ?? ['tmux', 'process', 'acp']
const lives = agents.flatMap((agent) =>
  runtimes.filter((runtime) => runtime !== 'acp' || agent.acpConfig).map((runtime) => ({ agent, runtime })),
)
const cells = CELLS.filter(({ name }) => chosen('AO_REAL_CELLS')?.some((word) => name.includes(word)) ?? true)
const outcomes = new Map<string, Map<string, Outcome>>()

beforeAll(() => buildAo(), 120_000)
afterAll(() => console.log(printTable(cells, outcomes, loadavg()[0] ?? 0)))

describe.each(lives)('$agent.name in $runtime', ({ agent, runtime }) => {
  let life: Life
  const column = `${agent.name}, ${runtime}`
  beforeAll(async () => {
    outcomes.set(column, new Map())
    life = await beginLife(agent, runtime, join(inject('agentsPrefix'), 'node_modules', '.bin'))
  }, 120_000)
  afterAll(async () => {
    const strays = await life.close()
    expect(strays).toEqual([])
  }, 120_000)

  it.each(cells.filter((cell) => cell.runtimes?.includes(runtime) ?? true))('$name', async (cell) => {
    const outcome = await cell
      .run(life)
      .catch(
        (error: unknown): Outcome => ({ verdict: 'no', note: error instanceof Error ? error.message : String(error) }),
      )
    outcomes.get(column)!.set(cell.name, outcome)
    console.log(`${column}: ${cell.name}: ${outcome.verdict} (${outcome.note})`)
    // The newest versions are only looked at; the pinned ones must pass.
    if (process.env.AO_REAL_NEWEST === '1') return
    expect(outcome.verdict, outcome.note).not.toBe('no')
    expect(outcome.falseStates ?? 0).toBe(0)
  })
})
