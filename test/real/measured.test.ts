// docs/agents-measured.md and the table of agents claim only what `npm run test:real` measured.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { AGENT_LIMITS } from '../../src/contract/agents/agent-limits.ts'
import { AGENT_TABLE, agentRow } from '../../src/contract/agents/agent-table.ts'
import { CELLS } from './cells/cells.ts'
import { renderMeasured } from './cells/print-table.ts'
import { differences, mergeResult, readResults } from './cells/results.ts'

const results = readResults()
const names = CELLS.map(({ name }) => name)

it('the page shows the last results; write it again with: node test/real/write-measured.ts', () => {
  const page = readFileSync(new URL('../../docs/agents-measured.md', import.meta.url), 'utf8')
  expect(page).toContain(renderMeasured(results, CELLS))
})

describe('an agent is called verified', () => {
  it.each(AGENT_TABLE)(
    '$name: only for the version whose every cell was run, and none was wrong',
    ({ name, verified }) => {
      const inTmux = results[name]?.tmux
      if (verified === null) return expect(inTmux).toBeUndefined()
      expect(inTmux?.version).toBe(verified)
      expect(Object.keys(inTmux!.cells).sort()).toEqual([...names].sort())
      expect(Object.values(inTmux!.cells).filter(({ verdict }) => verdict === 'no')).toEqual([])
    },
  )
})

it('limits belong to agents and cells that exist', () => {
  for (const [agent, limits] of Object.entries(AGENT_LIMITS)) {
    expect(agentRow(agent), agent).not.toBeNull()
    for (const { cells } of limits) expect(names).toEqual(expect.arrayContaining([...cells]))
  }
})

describe('a run', () => {
  const cell = (verdict: 'yes' | 'no') => ({ verdict, note: verdict, at: '2026-11-15T18:00', load: 1 })
  const life = { agent: 'pi', runtime: 'tmux', version: '1', falseStates: 0, lateStates: 0 }
  const before = {
    pi: { tmux: { version: '1', falseStates: 0, lateStates: 3, cells: { a: cell('yes'), b: cell('yes') } } },
  }

  it('replaces the cells that it ran, and keeps the others of the same version', () => {
    const after = mergeResult(before, { ...life, cells: { b: cell('no') } })
    expect(after.pi!.tmux).toMatchObject({ cells: { a: cell('yes'), b: cell('no') }, lateStates: 3 })
    const other = mergeResult(before, { ...life, version: '2', cells: { b: cell('yes') } })
    expect(other.pi!.tmux).toEqual({ version: '2', falseStates: 0, lateStates: 0, cells: { b: cell('yes') } })
  })

  it('of newer versions names only what they do otherwise', () => {
    const newer = { ...life, version: '2', cells: { a: cell('yes'), b: cell('no') } }
    expect(differences(before, newer)).toEqual(['pi 1 -> 2 in tmux: b: yes -> no (no)'])
  })
})
