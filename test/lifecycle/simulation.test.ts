// Lives with the real loop code on a virtual clock; `npm run torture -- simulation` plays thousands. A failing seed is printed and can be run alone.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPaths } from '../../src/store/paths.ts'
import { repeats } from '../support/cover.ts'
import { createTempHome } from '../support/temp-home.ts'
import { type Life, simulate } from './simulate.ts'
import {
  doubledMessages,
  endlessConflicts,
  endlessReactions,
  falseMemories,
  lostReactions,
} from './simulation-oracle.ts'

const SEEDS = repeats(1_000, 250)
/** Of lives in which a campaign found something wrong. */
const FOUND = [1_891_423_000, 1988623226, 1988625018]
/** Each is lived once for every moment it can end at. */
const SHORT = repeats(8, 4)
const temp = createTempHome()
mkdirSync(join(temp.home, 'config'))
const configPath = join(temp.home, 'config', 'agent-orchestrator.yaml')
writeFileSync(configPath, '')
const paths = createPaths({ configPath, home: temp.home, env: {} })
// Only the lock of the message path and the file about a finished project are real files.
mkdirSync(paths.project('app').locks, { recursive: true })

const lives: Array<{ seed: number; life: Life }> = []

beforeAll(async () => {
  const seeds = [...Array.from({ length: SEEDS }, (_, seed) => seed), ...FOUND]
  for (const seed of seeds) lives.push({ seed, life: await simulate({ seed, paths }) })
}, 300_000)

afterAll(async () => {
  expect(await temp.cleanup()).toEqual([])
})

/** Where it goes wrong, as `seed: what`. */
function failures(check: (life: Life) => string[], of = lives): string[] {
  return of.flatMap(({ seed, life }) => check(life).map((what) => `${seed}: ${what}`)).slice(0, 10)
}

/** An agent without records cannot say what it got when the loop died while telling it: there losing is worse. */
const keepsRecords = (life: Life) => life.world.shownAfterMs !== null

describe('lives of a project', () => {
  it('no status contradicts its facts', () => {
    expect(failures((life) => life.contradictions)).toEqual([])
  })

  it('no message is sent twice while its reason lasts', () => {
    expect(failures((life) => (keepsRecords(life) || life.deaths === 0 ? doubledMessages(life) : []))).toEqual([])
  })

  it('without records of the agent only a death of the loop can double a message', () => {
    expect(failures((life) => (doubledMessages(life).length > life.deaths ? doubledMessages(life) : []))).toEqual([])
  })

  it('no reaction is lost: in the end everything that calls for one was reported, done or escalated', () => {
    expect(failures(lostReactions)).toEqual([])
  })

  it('no reaction to an agent continues without progress, and a person is called once', () => {
    expect(failures(endlessReactions)).toEqual([])
  })

  it('an agent that rebases and returns is asked about conflicts a limited number of times', () => {
    expect(failures(endlessConflicts)).toEqual([])
    const returned = lives.filter(({ life }) =>
      [...life.world.inhabitants.values()].some(({ received }) =>
        received.some(({ key }) => key === 'merge-conflicts'),
      ),
    )
    expect(returned.length).toBeGreaterThan(SEEDS / 10)
  })

  it('what the memory calls done has really happened', () => {
    expect(failures(falseMemories)).toEqual([])
  })

  it('merges only what is ready, and restarts no agent twice for one end', () => {
    expect(failures(({ world }) => world.wrongs)).toEqual([])
  })

  it('lives are lives: every reaction occurs, loops die, messages arrive, commits are merged', () => {
    const types = new Set(lives.flatMap(({ life }) => [...life.disk.outbox.values()].map(({ type }) => type)))
    const keys = new Set(
      lives.flatMap(({ life }) =>
        [...life.world.inhabitants.values()].flatMap((one) => one.received.map((each) => each.key)),
      ),
    )
    const sum = (count: (life: Life) => number) => lives.reduce((all, { life }) => all + count(life), 0)
    const people = (life: Life) => [...life.world.inhabitants.values()]
    expect([...types].sort()).toEqual([
      'automated_review.found',
      'ci.failing',
      'ci.shared_failure',
      'merge.conflicts',
      'merge.ready',
      'pr.closed',
      'review.changes_requested',
      'review.rounds_over',
      'session.exited',
      'session.idle',
      'session.needs_input',
      'session.stuck',
      'summary.all_complete',
    ])
    expect([...keys].sort()).toEqual([
      'agent-idle',
      'agent-needs-input',
      'agent-stuck',
      'bugbot-comments',
      'changes-requested',
      'ci-failed',
      'merge-conflicts',
    ])
    expect(sum(({ deaths }) => deaths)).toBeGreaterThan(SEEDS)
    expect(sum((life) => people(life).reduce((all, one) => all + one.received.length, 0))).toBeGreaterThan(2.3 * SEEDS)
    expect(sum((life) => people(life).reduce((all, one) => all + one.merges.length, 0))).toBeGreaterThan(SEEDS / 50)
    expect(sum((life) => people(life).reduce((all, one) => all + one.restarts.length, 0))).toBeGreaterThan(SEEDS / 50)
  })

  it('a seed is the same life every time', async () => {
    const outcome = ({ world, disk, moments }: Life) => ({
      moments,
      records: [...disk.records],
      memories: [...disk.memories],
      received: [...world.inhabitants.values()].map(({ received }) => received),
    })
    expect(outcome(await simulate({ seed: 7, paths }))).toEqual(outcome(lives[7]!.life))
  })
})

describe('short lives that end between any two writes', () => {
  it('lose nothing, say nothing twice and contradict nothing, whichever moment it is', async () => {
    const deaths: Array<{ seed: number; life: Life }> = []
    for (let seed = 0; seed < SHORT; seed++) {
      const { moments } = await simulate({ seed, paths, ticks: 8, diesAt: 0 })
      for (let diesAt = 1; diesAt <= moments; diesAt++)
        deaths.push({ seed, life: await simulate({ seed, paths, ticks: 8, diesAt }) })
    }
    expect(deaths.length).toBeGreaterThan(SHORT * 35)
    expect(failures(({ contradictions }) => contradictions, deaths)).toEqual([])
    expect(failures((life) => (keepsRecords(life) ? doubledMessages(life) : []), deaths)).toEqual([])
    expect(failures(lostReactions, deaths)).toEqual([])
    expect(failures(falseMemories, deaths)).toEqual([])
    expect(failures(({ world }) => world.wrongs, deaths)).toEqual([])
  }, 300_000)
})
