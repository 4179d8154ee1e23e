// A day that was recorded replays with equal decisions under the same configuration, and says where another one departs from it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import type { OrchestratorConfig } from '../../src/contract/config.ts'
import { USUAL_MIX } from '../../src/rehearsal/habits.ts'
import { parseCassette } from '../../src/rehearsal/read-cassette.ts'
import { rehearse } from '../../src/rehearsal/rehearse.ts'
import { replay } from '../../src/rehearsal/replay.ts'
import { createPaths } from '../../src/store/paths.ts'

const homes: string[] = []
const THOROUGH = process.env.AO_THOROUGH !== undefined

afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})

function emptyHome() {
  const home = mkdtempSync(join(tmpdir(), 'ao-replay-'))
  homes.push(home)
  mkdirSync(join(home, 'app'))
  const configPath = join(home, 'app', 'agent-orchestrator.yaml')
  writeFileSync(configPath, '')
  return { home, paths: createPaths({ configPath, home, env: {} }) }
}

function configOf(more: string): OrchestratorConfig {
  const { home } = emptyHome()
  const path = join(home, 'app', 'agent-orchestrator.yaml')
  writeFileSync(path, `projects: { app: { path: ., scm: local, tracker: local${more} } }\n`)
  return loadConfig({ path, env: {}, home })
}

const CONFIGS = [
  '',
  ', landing: { mode: train }',
  ', reactions: { agent-exited: { auto: true, action: restart-agent, retries: 2 }, agent-stuck: { auto: true, action: send-to-agent, retries: 1 } }',
  ', budget: { session: 6, action: notify }',
  ', reactions: { approved-and-green: { auto: true, action: auto-merge }, ci-failed: { retries: 1 } }',
]

interface RecordedDay {
  text: string
  config: OrchestratorConfig
}

async function recordDay(
  seed: number,
  { agents = 8, hours = 3, more = CONFIGS[seed % CONFIGS.length]! } = {},
): Promise<RecordedDay> {
  const config = configOf(more)
  const lines: string[] = []
  await rehearse({
    ...{ config, project: config.projects.app!, paths: emptyHome().paths, seed, agents, hours, mix: USUAL_MIX },
    ...{ faults: true, personMinutes: 10, ciMinutes: 5, record: (line: string) => lines.push(line) },
  })
  return { text: lines.join(''), config }
}

function replayDay(text: string, config: OrchestratorConfig) {
  const { app: project } = config.projects
  return replay({ config, project: project!, paths: emptyHome().paths, lines: parseCassette(text, 'day') })
}

describe('a recorded day', () => {
  it(`replays with equal decisions under the same configuration${THOROUGH ? ', 20 of 20' : ''}`, {
    timeout: 600_000,
  }, async () => {
    const seeds = Array.from({ length: THOROUGH ? 20 : 5 }, (_, index) => index)
    for (const seed of seeds) {
      const { text, config } = await recordDay(seed, THOROUGH ? { agents: 20, hours: 8 } : {})
      const result = await replayDay(text, config)
      expect([seed, result.differences, result.isSameSettings]).toEqual([seed, [], true])
      expect(result.replayed).toEqual(result.recorded)
      expect(Object.keys(result.recorded.messages).length).toBeGreaterThan(0)
      console.log(seed, text.length, result.rounds, result.sessions, JSON.stringify(result.recorded))
    }
  })
})
