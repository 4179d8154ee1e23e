// A rehearsal with the rates of a recorded day comes near it: conflicts in groups and agents that give up included.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load-config.ts'
import { stepTrain } from '../../src/landing/train/step-train.ts'
import { checkOf } from '../../src/lifecycle/cassette/encode-rounds.ts'
import { calibrate } from '../../src/rehearsal/calibrate.ts'
import { parseCassette } from '../../src/rehearsal/read-cassette.ts'
import { rehearse } from '../../src/rehearsal/rehearse.ts'
import { createWorld, isReviewRequested, rebase, type SimPull, startProcess } from '../../src/rehearsal/train-world.ts'
import { createPaths } from '../../src/store/paths.ts'

const root = mkdtempSync(join(tmpdir(), 'ao-calibrate-'))

afterAll(() => rmSync(root, { recursive: true, force: true }))

function given(name: string) {
  const configPath = join(root, name, 'agent-orchestrator.yaml')
  mkdirSync(join(root, name), { recursive: true })
  writeFileSync(configPath, 'projects: { app: { path: ., scm: local, tracker: local, landing: { mode: train } } }\n')
  const config = loadConfig({ path: configPath, env: {}, home: root })
  const paths = createPaths({ configPath, home: root, env: {} })
  return { config, project: config.projects.app!, paths }
}

describe('a rehearsal', () => {
  it('lets those of one group land one after the other, each rebased onto what landed before', async () => {
    const pulls = [1, 2, 3].map(
      (number): SimPull => ({
        ...{ number, version: 1, bad: false, badWith: null, conflictsWith: null, landed: false, labels: [] },
        meets: number === 3 ? undefined : new Set([3 - number]),
      }),
    )
    const world = createWorld(() => 0.5, pulls)
    const train = startProcess(world, () => false)
    const rule = { batch: 4, order: 'fifo' as const, priority: [] }
    let rebased = 0
    for (let round = 0; round < 20 && pulls.some(({ landed }) => !landed); round++) {
      for (let step = 0; step < 50; step++) if ((await stepTrain(train.ports, rule)).kind !== 'again') break
      train.finishChecks()
      for (const pull of pulls.filter((one) => isReviewRequested(world, one))) {
        rebased += 1
        rebase(world, pull)
      }
    }
    expect([pulls.map(({ landed }) => landed), rebased]).toEqual([[true, true, true], 1])
  })

  it('with the rates of a day of conflicts and agents that give up is within 25 % of it', async () => {
    const lines: string[] = []
    await rehearse({
      ...{
        ...given('app'),
        seed: 102,
        agents: 4,
        hours: 3,
        mix: { steady: 3, conflicts: 2, 'gives-up': 2 },
        faults: false,
      },
      ...{ personMinutes: 10, ciMinutes: 5, record: (line: string) => lines.push(line) },
    })
    const { recorded, predicted, off } = await calibrate(parseCassette(lines.join(''), 'day'), given('app'))
    expect(recorded.requests).toBeGreaterThan(3)
    expect([off <= 0.25, recorded, predicted]).toEqual([true, recorded, predicted])
  })

  const begin = Date.UTC(2026, 2, 4, 9)
  const minutes = (count: number) => begin + count * 60_000
  const start = { k: 'start', v: 1, ao: '', project: 'app', t: begin, zone: 0, settings: '', ledger: null }
  /** A cassette of lines that anybody may have written. */
  const cassette = (lines: object[]) => {
    let check = ''
    const text = [start, ...lines].map((line) => {
      const json = JSON.stringify(line)
      // Each start of the loop begins a chain of its own.
      if (json.includes('"k":"start"')) check = ''
      check = checkOf(check, json)
      return `${json.slice(0, -1)},"c":"${check}"}\n`
    })
    return parseCassette(text.join(''), 'day')
  }
  const facts = { url: '', state: 'open', ci: 'passing', review: 'approved', mergeable: null }
  const seen = (
    number: number,
    headSha: string,
    more: { state?: string; partners?: number[]; review?: string } = {},
  ) => ({
    pull: {
      ...{ pr: { url: '', number }, headSha, ci: 'passing', mergeable: null, failingOnBase: [] },
      review: more.review ?? 'approved',
      ...{ state: more.state ?? 'open', hasConflicts: more.partners !== undefined },
    },
    ...{ facts, isFurther: false, failedChecks: [], remarks: [], requests: [], isAboard: false, isInLine: false },
    landing: more.partners ? { why: 'conflict', files: [], partners: more.partners } : null,
    ...{ reviewable: false, reviewed: null, reviewFrom: null, isReviewOutdated: false },
  })
  const round = (at: number, pulls: Record<string, ReturnType<typeof seen>>, d = {}) => ({
    ...{ k: 'round', t: minutes(at), d },
    s: Object.fromEntries(Object.entries(pulls).map(([id, news]) => [id, { pulls: [news] }])),
  })
  const request = [['landing-failed', 'send-to-agent', 1]]

  it('knows who was in whose way, and an agent that tries, goes back and answers nothing', async () => {
    const day = cassette([
      round(1, { a: seen(1, 'h1'), b: seen(2, 'h2'), c: seen(3, 'h3') }),
      round(5, { a: seen(1, 'h1', { state: 'merged' }), b: seen(2, 'h2', { partners: [1] }) }, { b: request }),
      round(7, { b: seen(2, 'h2x') }),
      round(8, { b: seen(2, 'h2', { partners: [1] }), c: seen(3, 'h3', { state: 'merged' }) }),
      round(60, {}),
    ])
    const { recorded, predicted, off } = await calibrate(day, given('back'))
    expect(recorded.rates.lives.map(({ meets, givesUpAt }) => [meets, givesUpAt])).toEqual([
      [[2], null],
      [[1], 1],
      [[], null],
    ])
    expect([recorded, predicted, off]).toMatchObject([{ landed: 2, stranded: 1 }, { landed: 2, stranded: 1 }, 0])
  })

  it('takes no head for a new one when the loop was started again, with other hashes', async () => {
    const day = cassette([
      round(1, { a: seen(1, 'h1'), b: seen(2, 'h2') }),
      round(5, { a: seen(1, 'h1', { state: 'merged' }), b: seen(2, 'h2', { partners: [1] }) }, { b: request }),
      { ...start, t: minutes(9) },
      round(10, { b: seen(2, 'other', { partners: [1] }) }),
      round(60, {}),
    ])
    const { recorded, off } = await calibrate(day, given('again'))
    expect([recorded.rates.repair, recorded.rates.lives[1]!.givesUpAt, off]).toEqual([[3], 1, 0])
  })

  it('takes what a loop that was started again only repeats for no movement', async () => {
    const day = cassette([
      round(1, { a: seen(1, 'h1'), b: seen(2, 'h2') }),
      round(5, { a: seen(1, 'h1', { state: 'merged' }) }),
      { ...start, t: minutes(57) },
      round(58, { b: seen(2, 'other') }),
      round(60, {}),
    ])
    const { recorded } = await calibrate(day, given('repeated'))
    expect(recorded).toMatchObject({ landed: 1, stranded: 1 })
  })

  it('lets the person approve only what a person approved', async () => {
    const day = cassette([
      round(1, { a: seen(1, 'h1', { review: 'pending' }), b: seen(2, 'h2') }),
      round(5, { b: seen(2, 'h2', { state: 'merged' }) }),
      round(60, {}),
    ])
    const { recorded, predicted } = await calibrate(day, given('unread'))
    expect([recorded, predicted]).toMatchObject([
      { landed: 1, stranded: 1 },
      { landed: 1, stranded: 1 },
    ])
  })

  it('rehearses a day of three minutes in steps of less than a second', async () => {
    const day = cassette([
      round(0.1, { a: seen(1, 'h1') }),
      round(0.5, { a: seen(1, 'h1', { state: 'merged' }), b: seen(2, 'h2') }),
      round(1, { b: seen(2, 'h2', { state: 'merged' }) }),
      round(3, {}),
    ])
    const { recorded, predicted } = await calibrate(day, given('short'))
    expect([recorded.step, recorded, predicted]).toMatchObject([750, { landed: 2 }, { requests: 2, landed: 2 }])
  })

  it('rehearses no more than a day, however far apart its lines claim to be', async () => {
    const day = cassette([round(1, { a: seen(1, 'h1') }), { k: 'round', t: 8.64e15, s: {} }])
    const { recorded } = await calibrate(day, given('long'))
    expect(recorded.hours).toBe(25)
  }, 60_000)
})
