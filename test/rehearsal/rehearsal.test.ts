// A rehearsed day: the same for the same seed, true to the configuration, and without a trace.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OrchestratorConfig, ProjectConfig } from '../../src/contract/config.ts'
import { type Habit, USUAL_MIX } from '../../src/rehearsal/habits.ts'
import { rehearse } from '../../src/rehearsal/rehearse.ts'
import { type RehearsalSummary, summarize } from '../../src/rehearsal/summarize.ts'
import { createPaths } from '../../src/store/paths.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { createTempHome } from '../support/temp-home.ts'

const temp = createTempHome()
afterAll(async () => {
  expect(await temp.cleanup()).toEqual([])
})

interface Day {
  project?: Partial<ProjectConfig>
  reactions?: OrchestratorConfig['reactions']
  mix?: Partial<Record<Habit, number>>
  faults?: boolean
  seed?: number
}

let days = 0

async function day({
  project,
  reactions = {},
  mix = USUAL_MIX,
  faults = true,
  seed = 7,
}: Day): Promise<RehearsalSummary> {
  const home = join(temp.home, `day-${days++}`)
  mkdirSync(home)
  const configPath = join(home, 'agent-orchestrator.yaml')
  writeFileSync(configPath, '')
  const paths = createPaths({ configPath, home, env: {} })
  const app = { id: 'app', name: 'App', path: '.', defaultBranch: 'main', ...project } as ProjectConfig
  const config = { configPath, projects: { app }, plugins: {}, reactions, readyThresholdMs: 300_000 }
  return summarize(
    await rehearse({
      config: config as unknown as OrchestratorConfig,
      project: app,
      paths,
      seed,
      agents: 8,
      hours: 4,
      mix,
      faults,
      personMinutes: 10,
      ciMinutes: 5,
    }),
  )
}

describe('a rehearsed day', () => {
  it('is the same for the same seed, and another one for another', async () => {
    const first = await day({ seed: 7 })
    expect(await day({ seed: 7 })).toEqual(first)
    expect(await day({ seed: 8 })).not.toEqual(first)
    expect(first.landed).toBeGreaterThan(5)
  })

  it('with a train never breaks the base branch, and lands what nobody has to merge', async () => {
    const withTrain = await day({ project: { landing: { mode: 'train' } } as Partial<ProjectConfig> })
    expect(withTrain).toMatchObject({ landing: 'train', baseRed: { times: 0, minutes: 0 } })
    expect(withTrain.landed).toBeGreaterThan(5)
    expect(withTrain.waits.map(({ kind }) => kind)).not.toContain('merge')
  })

  it('follows the reactions of the configuration', async () => {
    const mix = { 'breaks-ci': 1 }
    const usual = await day({ mix, faults: false })
    const silent = await day({ mix, faults: false, reactions: { 'ci-failed': { auto: false } } })
    expect(usual.messages['ci-failed']).toBeGreaterThan(5)
    expect(silent.messages['ci-failed']).toBeUndefined()
    expect(silent.landed).toBeLessThan(usual.landed)
  })

  it('shows agents that die and questions that wait', async () => {
    const { waits, notifications, agentRestarts } = await day({ mix: { dies: 1, asks: 1 }, faults: false })
    expect(waits.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['agent gone', 'question']))
    expect(notifications['session.exited']).toBeGreaterThan(0)
    expect(agentRestarts).toBeGreaterThan(0)
  })
})

describe('ao simulate', () => {
  let world: AoWorld
  beforeAll(() => {
    buildAo()
    world = createAoWorld()
  })
  afterAll(async () => {
    expect(await world.temp.cleanup()).toEqual([])
  })

  it('reports, tells the history of one session, writes a page, and leaves nothing else', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('ao-simulate-'))
    const few = ['simulate', '--agents', '3', '--hours', '2', '--no-faults']
    const shown = await world.ao([...few, '--html', 'day.html'])
    expect(shown.stdout).toMatch(/^2 hours, 3 agents, seed 1, landing: off\nlanded +\d+ of \d+ sessions/)
    expect(readFileSync(join(world.repo, 'day.html'), 'utf8')).toMatch(/^<!doctype html>.*app-1.*<\/html>\n$/s)
    const history = await world.ao([...few, '--session', 'app-1'])
    expect(history.stdout).toMatch(/started; its agent works as .*\n.*in the end it is/s)
    expect(await world.json([...few, '--session', 'app-99'])).toMatchObject({ error: { code: 'SESSION_NOT_FOUND' } })
    expect((await world.json<{ sessions: unknown[] }>(['session', 'ls'])).sessions).toEqual([])
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('ao-simulate-'))).toEqual(before)
  })

  it.each([
    ['--agents', '0'],
    ['--agents', 'many'],
    ['--hours', '1000'],
    ['--seed', '-1'],
    ['--habits', 'lazy:1'],
    ['--habits', 'steady:0'],
  ])('refuses %s %s', async (option, value) => {
    expect(await world.json(['simulate', `${option}=${value}`])).toMatchObject({ code: 2, error: { code: 'USAGE' } })
  })
})
