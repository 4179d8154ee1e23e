// LandBench's arithmetic: figures from a raw log, and the check that somebody else makes of them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCheck } from '../bench/landbench/check.ts'
import { computeFigures, quantile } from '../bench/landbench/figures.ts'
import { type EventBody, type LogEvent, readLog } from '../bench/landbench/log.ts'
import { markedMessage, readMessage, rebaseTarget } from '../bench/landbench/message.ts'
import { planChanges } from '../bench/landbench/published-world.ts'
import { compareRuns, keepFigures, LOG, verifyRun } from '../bench/landbench/verify.ts'
import type { Workload } from '../bench/landbench/workload.ts'
import { createRandom } from '../src/rehearsal/random.ts'
import { createRepo } from './support/git-repo.ts'
import { createTempHome } from './support/temp-home.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const at = (ms: number, body: EventBody): LogEvent => ({ at: ms, ...body })
const check = (ms: number, by: 'ci' | 'agent' | 'audit', code: number | null = 0) =>
  at(ms, { what: 'check', by, commit: 'c', tree: 't', code, ms: 1 })
const approve = (ms: number, feature: string) => at(ms, { what: 'person', act: 'approve', feature, minutes: 12 })
const state = (ms: number, feature: string, shown: 'waiting' | 'landed' | 'person') =>
  at(ms, { what: 'state', feature, state: shown, shows: shown })

/** One lands after 30 s, one as a red commit that is replaced 2 minutes later, one never. */
const DAY: LogEvent[] = [
  at(0, { what: 'run', adapter: 'a', world: 'w', seed: 1, features: ['f1', 'f2', 'f3'] }),
  check(1, 'ci'),
  check(2, 'ci', 1),
  check(3, 'ci'),
  check(4, 'agent'),
  approve(10 * SECOND, 'f1'),
  approve(20 * SECOND, 'f2'),
  state(21 * SECOND, 'f3', 'waiting'),
  at(30 * SECOND, { what: 'gave-up', feature: 'f3', why: 'both sides together fail the check' }),
  at(40 * SECOND, { what: 'base', commit: 'one' }),
  state(45 * SECOND, 'f1', 'landed'),
  at(MINUTE, { what: 'base', commit: 'two' }),
  state(MINUTE + SECOND, 'f2', 'landed'),
  at(3 * MINUTE, { what: 'base', commit: 'three' }),
  at(30 * MINUTE, { what: 'end', why: 'quiet' }),
  at(31 * MINUTE, { what: 'audit', commit: 'one', code: 0, landed: ['f1'] }),
  at(31 * MINUTE, { what: 'audit', commit: 'two', code: 1, landed: ['f2'] }),
  at(31 * MINUTE, { what: 'audit', commit: 'three', code: 0, landed: [] }),
  check(31 * MINUTE, 'audit'),
]

it('a world of published rates has them with many changes, too', () => {
  const changes = planChanges(createRandom(10), 1_000)
  const meeting = changes.filter(({ module }, index) => changes.slice(0, index).some((one) => one.module === module))
  expect(changes).toHaveLength(1_000)
  expect(meeting.length / changes.length).toBeCloseTo(0.28, 1)
})

describe('figures from a raw log', () => {
  it('counts what is on the base branch, the price of it, and how long the base branch was red', () => {
    expect(computeFigures(DAY)).toMatchObject({
      changes: 3,
      landed: 2,
      landedTwice: 0,
      landedPerHour: 4,
      checks: 3,
      checksPerLanded: 1.5,
      personMinutesPerLanded: 12,
      redCommits: 1,
      redMinutes: 2,
      approvedToLandedP50: 30,
      approvedToLandedP95: 40,
      gaveUp: 1,
    })
  })

  it('takes a commit that was never seen as the tip for as old as the next one', () => {
    const unseen = DAY.filter((one) => !(one.what === 'base' && one.commit === 'two'))
    expect(computeFigures(unseen)).toMatchObject({ landed: 2, redCommits: 1, redMinutes: 0 })
  })

  it('calls a commit whose check did not end neither red nor green', () => {
    const unknown = DAY.map((one) => (one.what === 'audit' && one.commit === 'two' ? { ...one, code: null } : one))
    expect(computeFigures(unknown)).toMatchObject({ landed: 2, redCommits: 0, redMinutes: 0, unknownCommits: 1 })
  })

  it('counts a change that landed twice once as landed', () => {
    const again = at(31 * MINUTE, { what: 'audit', commit: 'three', code: 0, landed: ['f1'] })
    expect(computeFigures([...DAY.slice(0, -2), again])).toMatchObject({ landed: 2, landedTwice: 1 })
  })

  it('calls it stranded in silence when an agent has given up and no person is asked, and late after two minutes', () => {
    expect(computeFigures(DAY)).toMatchObject({ strandedInSilence: 1, lateStates: 1, falseStates: 0 })
    const escalated = [...DAY, state(100 * SECOND, 'f3', 'person')].sort((a, b) => a.at - b.at)
    expect(computeFigures(escalated)).toMatchObject({ strandedInSilence: 0, lateStates: 0 })
  })

  it('calls it false when something is shown as landed that is not', () => {
    const early = [...DAY, state(20 * SECOND, 'f1', 'landed'), state(50 * SECOND, 'f3', 'landed')]
    expect(computeFigures(early.sort((a, b) => a.at - b.at)).falseStates).toBe(2)
  })

  it('finds messages that were lost, doubled or torn', () => {
    const sent = (mark: number, accepted = true) => at(mark, { what: 'sent', feature: 'f1', mark, accepted })
    const received = (text: string) =>
      at(9 * SECOND, { what: 'received', feature: 'f1', text, ...readMessage(text) } as const)
    const whole = markedMessage(1, 'Hello\nthere')
    const torn = markedMessage(3, 'A longer text').replace('longer', '')
    const own = `Your pull request conflicts with the base branch, please rebase it.`
    const events = [sent(1), sent(2), sent(3), sent(4, false), received(whole), received(whole), received(torn)]
    const later = { ...received(own), at: 2 * MINUTE }
    const figures = computeFigures([...DAY, ...events, received(own), received(own), received(own + own), later])
    // Of the orchestrator's own messages one came again, and one has itself in it; the last is about another base branch.
    expect(figures).toMatchObject({ messagesSent: 3, messagesLost: 2, messagesDoubled: 3, messagesTorn: 1 })
  })

  it('has no quantile of nothing, and the largest of few at 95 %', () => {
    expect([quantile([], 0.5), quantile([3, 1, 2], 0.5), quantile([3, 1, 2], 0.95)]).toEqual([null, 2, 3])
  })
})

describe('the check of a world', () => {
  it('says of one that its limit ended that it does not know, and nothing else of a red one', async () => {
    const temp = createTempHome()
    const repo = createRepo(join(temp.home, 'repo'), temp.env)
    const log = join(temp.home, 'events.jsonl')
    const run = (command: string, limitMs?: number) =>
      runCheck(repo, { check: command, log, flaky: 0 } as Workload, 'audit', limitMs)
    expect(await run('exec sleep 60', 200)).toBeNull()
    expect(await run('exit 3')).toBe(3)
    expect(readLog(log)).toMatchObject([{ code: null }, { code: 3 }])
    expect(await temp.cleanup()).toEqual([])
  })
})

describe('the agent', () => {
  it('knows the commit that it is asked to rebase onto, and ignores every other message', () => {
    expect(rebaseTarget('Rebase it: git rebase 0a1b2c3d. It holds main.')).toBe('0a1b2c3d')
    expect(rebaseTarget('git rebase --onto main 0a1b2c3d (fetch first)')).toBe('main')
    expect(rebaseTarget('Bring main into your branch, resolve the conflicts')).toBe('main')
    expect(rebaseTarget('This is an early warning: nothing is merged yet')).toBeNull()
  })
})

describe('a run that somebody else verifies', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'landbench-'))
    writeLog(DAY)
    keepFigures(directory)
  })
  afterEach(() => rmSync(directory, { recursive: true }))
  const writeLog = (events: readonly LogEvent[]) =>
    writeFileSync(join(directory, LOG), events.map((one) => `${JSON.stringify(one)}\n`).join(''))

  it('is confirmed as it was written', () => {
    expect(verifyRun(directory)).toEqual([])
  })

  it('fails when a landing was added to the log', () => {
    writeLog([...DAY, at(31 * MINUTE, { what: 'audit', commit: 'three', code: 0, landed: ['f3'] })])
    expect(verifyRun(directory)).toContain('landed: 2 was reported, the log says 3')
  })

  it('is confirmed as it was reported before checks without an end were counted', () => {
    const path = join(directory, 'figures.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace(/\n *"unknownCommits": 0,/, ''))
    expect(verifyRun(directory)).toEqual([])
  })

  it('fails when a figure was improved', () => {
    const path = join(directory, 'figures.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"redMinutes": 2', '"redMinutes": 0'))
    expect(verifyRun(directory)).toEqual(['redMinutes: 0 was reported, the log says 2'])
  })

  it('fails when the log was changed in a way that no figure shows', () => {
    writeLog([...DAY, check(32 * MINUTE, 'agent')])
    expect(verifyRun(directory)).toEqual(['the log is not the one the figures were made of'])
  })

  it('fails on a line that is not JSON', () => {
    writeFileSync(join(directory, LOG), '{"at":1\n')
    expect(() => verifyRun(directory)).toThrow('Line 1')
  })
})

describe('two runs with one seed', () => {
  it('agree when counted figures are at most 5 % apart, whatever their wall time', () => {
    const one = computeFigures(DAY)
    expect(compareRuns(one, { ...one, landedPerHour: 99, checksPerLanded: 1.45 })).toEqual([])
    expect(compareRuns(one, { ...one, checksPerLanded: 1.4 })).toEqual(['checksPerLanded: 1.5 and 1.4, 7 % apart'])
  })
})
