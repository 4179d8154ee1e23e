// Every cell of docs/agents-measured.md with real agents, whose model is scripted. Writes results.json and the tables of that page.
// AO_REAL_AGENTS=codex,pi  AO_REAL_RUNTIMES=tmux  AO_REAL_CELLS=restore choose some of them.
// AO_REAL_TRY=1 leaves results.json and the page alone: to repeat some cells while looking for a cause.
// AO_REAL_TRACE=<directory> keeps what the model saw and what ao reported, in the order of time.
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type AgentLimit, limitOf } from '../../src/contract/agents/agent-limits.ts'
import { agentRow } from '../../src/contract/agents/agent-table.ts'
import { buildAo } from '../support/run-ao.ts'
import { CELLS } from './cells/cells.ts'
import type { Cell, Outcome } from './cells/outcome.ts'
import { differences, type LifeResult, mergeResult, readResults, writeResults } from './cells/results.ts'
import { beginLife, type Life } from './cells/session-life.ts'
import { traceLife } from './cells/trace-life.ts'
import { TERMINAL_AGENTS, type TerminalAgent } from './terminal-agents.ts'
import { writeMeasured } from './write-measured.ts'

const chosen = (name: string) => process.env[name]?.split(',')
const agents = TERMINAL_AGENTS.filter(({ ao }) => chosen('AO_REAL_AGENTS')?.includes(ao) ?? true)
const runtimes = chosen('AO_REAL_RUNTIMES') ?? ['tmux', 'process', 'acp']
const lives = agents.flatMap((agent) =>
  runtimes.filter((runtime) => runtime !== 'acp' || agent.acpConfig).map((runtime) => ({ agent, runtime })),
)
const cells = CELLS.filter(({ name }) => chosen('AO_REAL_CELLS')?.some((word) => name.includes(word)) ?? true)
/** The newest versions are only compared; the pinned ones must pass. */
const isNewest = process.env.AO_REAL_NEWEST === '1'

beforeAll(() => buildAo(), 120_000)

describe.each(lives)('$agent.name in $runtime', ({ agent, runtime }) => {
  let life: Life
  let result: LifeResult
  beforeAll(async () => {
    const version = versionOf(agent, runtime)
    result = { agent: agent.ao, runtime, version, falseStates: 0, lateStates: 0, cells: {} }
    life = await beginLife(agent, runtime, join(inject('agentsPrefix'), 'node_modules', '.bin'))
  }, 120_000)
  afterAll(async () => {
    const all = life.falseStates()
    const wrong = all.filter(({ isLate }) => !isLate)
    traceLife(life, `${agent.ao}-${runtime}`, all)
    result.falseStates = wrong.length
    result.lateStates = all.length - wrong.length
    if (isNewest) console.log(`differs: ${differences(readResults(), result).join('\ndiffers: ')}`)
    else if (process.env.AO_REAL_TRY !== '1') record(result)
    const strays = await life.close()
    expect(strays).toEqual([])
    if (!isNewest) expect(wrong.map(({ at, activity }) => `${activity} at ${new Date(at).toISOString()}`)).toEqual([])
  }, 120_000)

  it.each(cells)('$name', async (cell) => {
    const limit = limitOf(agent.ao, runtime, cell.name)
    const outcome = within(limit, limit?.isSlow ? null : await runCell(cell, life))
    const at = new Date().toISOString().slice(0, 16)
    result.cells[cell.name] = { ...outcome, at, load: Number((loadavg()[0] ?? 0).toFixed(1)) }
    console.log(`${agent.name}, ${runtime}: ${cell.name}: ${outcome.verdict} (${outcome.note})`)
    if (isNewest) return
    expect(outcome.verdict, outcome.note).not.toBe('no')
    expect(limit !== null && outcome.verdict === 'yes', 'it can do this now: remove its limit').toBe(false)
  })
})

async function runCell(cell: Cell, life: Life): Promise<Outcome> {
  const isQuestion = cell.name.startsWith('asks for permission')
  if (isQuestion && life.agent.asksNothing) return { verdict: 'partly', note: 'it asks for nothing' }
  try {
    return await cell.run(life)
  } catch (error) {
    return { verdict: 'no', note: error instanceof Error ? error.message : String(error) }
  }
}

function within(limit: AgentLimit | null, outcome: Outcome | null): Outcome {
  if (outcome === null || (limit && outcome.verdict === 'partly'))
    return { ...outcome, verdict: 'limit', note: limit!.reason }
  return outcome
}

function versionOf(agent: TerminalAgent, runtime: string): string {
  const row = agentRow(agent.ao)!
  const name = (runtime === 'acp' && row.acpPackage) || row.package!
  const file = join(inject('agentsPrefix'), 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

function record(result: LifeResult): void {
  writeResults(mergeResult(readResults(), result))
  writeMeasured()
}
