// A day that was recorded replays with equal decisions under the same configuration, and says where another one departs from it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import type { OrchestratorConfig } from '../../src/contract/config.ts'
import { checkOf } from '../../src/lifecycle/cassette/encode-rounds.ts'
import { USUAL_MIX } from '../../src/rehearsal/habits.ts'
import { parseCassette } from '../../src/rehearsal/read-cassette.ts'
import { rehearse } from '../../src/rehearsal/rehearse.ts'
import { replay } from '../../src/rehearsal/replay.ts'
import { replayTrain } from '../../src/rehearsal/replay-train.ts'
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
  { agents = 4, hours = 2, more = CONFIGS[seed % CONFIGS.length]! } = {},
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
    const seeds = Array.from({ length: THOROUGH ? 20 : 2 }, (_, index) => index)
    for (const seed of seeds) {
      const { text, config } = await recordDay(seed, THOROUGH ? { agents: 12, hours: 6 } : {})
      const result = await replayDay(text, config)
      expect([seed, result.differences, result.isSameSettings]).toEqual([seed, [], true])
      expect(result.replayed).toEqual(result.recorded)
      expect(Object.keys(result.recorded.messages).length).toBeGreaterThan(0)
    }
  })

  it('says what other retries would have done, and that the rest of such a session is unknown', async () => {
    const { text } = await recordDay(4, { agents: 8 })
    const result = await replayDay(text, configOf(', reactions: { ci-failed: { auto: false } }'))
    expect(result.isSameSettings).toBe(false)
    expect(result.recorded.messages['ci-failed']).toBeGreaterThan(0)
    expect(result.replayed.messages['ci-failed']).toBeUndefined()
    const changed = result.differences.find(({ what }) => what.includes('was ci-failed → send-to-agent'))
    expect(changed).toMatchObject({ isUnknown: true, what: expect.stringContaining('ci-failed → notify') })
    // Nobody merges by itself now, and what is only for people leaves the rest of the day known.
    expect(result.replayed.merges).toBe(0)
    const all = result.recorded.costUsd
    expect(result.replayed.costUsd + result.unknown.costUsd).toBeCloseTo(all)
  })

  it('says which sessions a smaller budget would have paused', async () => {
    const { text } = await recordDay(0)
    const result = await replayDay(text, configOf(', budget: { session: 2, action: pause }'))
    expect(result.replayed.paused).toBeGreaterThan(0)
    expect(result.differences.some(({ what, isUnknown }) => isUnknown && what.includes('over-budget → pause'))).toBe(
      true,
    )
  })

  it('estimates its train with other settings', async () => {
    const { text, config } = await recordDay(1)
    const lines = parseCassette(text, 'day')
    const same = await replayTrain(lines, config.projects.app!)
    expect(same!.recorded.landed).toBeGreaterThan(3)
    expect(same!.estimated.landed).toBeGreaterThan(same!.recorded.landed * 0.75)
    const single = await replayTrain(lines, configOf(', landing: { mode: train, batch: 1 }').projects.app!)
    expect(single!.estimated.landed).toBeLessThanOrEqual(same!.estimated.landed)
    expect(await replayTrain(lines, configOf('').projects.app!)).toBeNull()
  })
})

describe('a cassette that is not as it was recorded', () => {
  const sealed = (...lines: object[]) => {
    let check = ''
    return lines
      .map((one) => {
        const text = JSON.stringify(one)
        check = checkOf((one as { k: string }).k === 'start' ? '' : check, text)
        return `${text.slice(0, -1)},"c":"${check}"}\n`
      })
      .join('')
  }
  const start = { k: 'start', v: 1, ao: '1', project: 'app', t: 1, zone: 0, settings: 'x', ledger: null }
  const round = { k: 'round', t: 2, s: {} }

  it.each([
    ['is empty', '', /line 1 is missing/],
    ['is cut off', sealed(start, round).slice(0, -20), /line 2 is cut off/],
    ['has a changed line', sealed(start, round).replace('"t":2', '"t":3'), /line 2 is damaged/],
    [
      'misses a line',
      sealed(start, round, { ...round, t: 3 })
        .split('\n')
        .toSpliced(1, 1)
        .join('\n'),
      /line 2 is damaged/,
    ],
    ['is no cassette', '{"some":"json"}\n', /line 1 is damaged/],
    ['is of a newer version', sealed({ ...start, v: 2 }), /line 1 is of version 2, and this version of ao reads 1/],
    ['begins in the middle', sealed(round), /line 1 is not the beginning/],
    ['goes back in time', sealed(start, { ...round, t: 5 }, { ...round, t: 4 }), /line 3 is earlier/],
    [
      'has a field of its own',
      sealed(start, { ...round, run: 'rm -rf ~' }),
      /line 2 has something that no recording has/,
    ],
    ['has a session that is a path', sealed(start, { ...round, s: { '../../x': {} } }), /line 2 has something/],
    [
      'has control characters',
      sealed(start, { k: 'notice', t: 2, type: '\u001b]0;x\u0007', about: '' }),
      /line 2 has something/,
    ],
  ])('that %s is refused as a whole', (_what, text, why) => {
    expect(() => parseCassette(text, 'day')).toThrow(why)
  })

  it('is named without what would control a terminal', () => {
    expect(() => parseCassette('', 'x\u001b[2J.jsonl')).toThrow('x\\u001b[2J.jsonl cannot be replayed')
  })

  it('changes nothing in its reader, whatever its keys are called', async () => {
    const facts = '{"record":{"status":"working"},"memory":{}}'
    const text = `{"k":"round","t":2,"s":{"constructor":${facts}},"o":["constructor"]}`
    const first = sealed(start)
    const check = checkOf(/"c":"(.*)"/.exec(first)![1]!, text)
    const lines = parseCassette(`${first}${text.slice(0, -1)},"c":"${check}"}\n`, 'day')
    const config = configOf('')
    const result = await replay({ config, project: config.projects.app!, paths: emptyHome().paths, lines })
    expect([result.sessions, result.recorded.starts]).toEqual([1, 0])
  })
})
