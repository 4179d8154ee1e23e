import { describe, expect, it } from 'vitest'
import {
  decideCars,
  decideRiders,
  type PastRider,
  type RiderFacts,
  type Train,
  type TreeResult,
} from './decide-train.ts'
import { EMPTY_TRAIN, type Left, type Rider, type TrainState } from './train-state.ts'

const rider = (pull: number, more: Partial<Rider> = {}): Rider => ({
  pull,
  headSha: `h${pull}`,
  by: 'ao',
  at: 't1',
  passedOver: 0,
  ...more,
})
const open = (number: number, more: Partial<RiderFacts> = {}): RiderFacts => ({
  number,
  headSha: `h${number}`,
  ready: true,
  obstacle: null,
  ...more,
})
const boarded = (pull: number) => ({ type: 'boarded', pull, headSha: `h${pull}`, by: 'ao' })
const unready = (pull: number, said?: string) => ({ type: 'left', pull, headSha: `h${pull}`, why: 'unready', said })
const onto = { commit: 'k', cars: [{ pull: 1, headSha: 'h1' }] }
const left = (why: Left['why'], more: Partial<Left> = {}): Left => ({ pull: 7, headSha: 'h7', why, ...more }) as Left
const below = (more = {}) => ({ below: { pull: 5, isLanded: false, isHeld: true, ...more } })

describe('before any car is built', () => {
  it.each<[string, Partial<TrainState>, RiderFacts[], PastRider[], object[]]>([
    ['one that is ready boards', {}, [open(7)], [], [boarded(7)]],
    [
      'one with a flaky check on its head boards with it',
      {},
      [open(7, { flaky: ['test'] })],
      [],
      [{ ...boarded(7), flaky: ['test'] }],
    ],
    ['one that is not stays ashore', {}, [open(7, { ready: false })], [], []],
    ['one with conflicts stays ashore', {}, [open(7, { conflicts: true })], [], []],
    ['one that is aboard boards no second time', { riders: [rider(7)] }, [open(7)], [], []],
    ['one that was red waits for another head', { left: [left('red')] }, [open(7)], [], []],
    ['one that was removed waits', { left: [left('removed')] }, [open(7)], [], []],
    ['one that was refused waits', { left: [left('refused')] }, [open(7)], [], []],
    ['one with a conflict waits', { left: [left('conflict')] }, [open(7)], [], []],
    [
      'one with a conflict with the base waits',
      { left: [left('conflict', { onto: { commit: 'b', cars: [] } })] },
      [open(7)],
      [],
      [],
    ],
    ['one that was not ready boards again', { left: [left('unready')] }, [open(7)], [], [boarded(7)]],
    [
      'one that was red with another head boards',
      { left: [left('red', { headSha: 'h6' })] },
      [open(7)],
      [],
      [boarded(7)],
    ],
    ['one is not held back by another', { left: [left('red', { pull: 8 })] }, [open(7)], [], [boarded(7)]],
    [
      'one in the way of a car waits while that may land',
      { left: [left('conflict', { onto })], riders: [rider(1)] },
      [open(1), open(7)],
      [],
      [],
    ],
    [
      'one in the way of a car that will not land rides as it is',
      { left: [left('conflict', { onto })] },
      [open(7)],
      [],
      [boarded(7)],
    ],
    [
      'one on an offered car boards once that has landed',
      { offers: [onto], landed: [{ pull: 1, headSha: 'h1', commit: 'c', at: 't' }] },
      [open(7, { builtOn: ['k'] })],
      [],
      [boarded(7)],
    ],
    [
      'one on an offered car waits for it',
      { offers: [onto], riders: [rider(1)] },
      [open(1), open(7, { builtOn: ['k'] })],
      [],
      [],
    ],
    [
      'one on a car that will not land is told so',
      { offers: [onto] },
      [open(7, { builtOn: ['k'] })],
      [],
      [{ type: 'left', pull: 7, headSha: 'h7', why: 'stranded', onto }],
    ],
    ['and told once', { offers: [onto], left: [left('stranded')] }, [open(7, { builtOn: ['k'] })], [], []],
    [
      'and again with another head',
      { offers: [onto], left: [left('stranded', { headSha: 'h6' })] },
      [open(7, { builtOn: ['k'] })],
      [],
      [{ why: 'stranded' }],
    ],
    ['one behind another boards with it', { riders: [rider(5)] }, [open(5), open(7, below())], [], [boarded(7)]],
    ['one behind another that is ashore waits', {}, [open(7, below())], [], []],
    [
      'one that does not hold what it stands on waits',
      { riders: [rider(5)] },
      [open(5), open(7, below({ isHeld: false }))],
      [],
      [],
    ],
    ['one whose ground has landed boards', {}, [open(7, below({ isLanded: true }))], [], [boarded(7)]],
    ['one whose ground has landed otherwise waits', {}, [open(7, below({ isLanded: true, isHeld: false }))], [], []],
    [
      'one that was merged has landed',
      { riders: [rider(7)] },
      [],
      [{ number: 7, mergeCommit: 'c', headSha: 'h8', untested: 'by hand' }],
      [{ type: 'landed', pull: 7, headSha: 'h8', commit: 'c', untested: 'by hand' }],
    ],
    [
      'one that was closed is gone',
      { riders: [rider(7)] },
      [],
      [{ number: 7, mergeCommit: null, headSha: 'h7' }],
      [{ type: 'left', pull: 7, headSha: 'h7', why: 'gone' }],
    ],
    ['one that cannot be read stays', { riders: [rider(7)] }, [], [], []],
    [
      'one that moved leaves',
      { riders: [rider(7)] },
      [open(7, { headSha: 'h8' })],
      [],
      [{ type: 'left', pull: 7, headSha: 'h7', why: 'moved' }],
    ],
    [
      'one that is stranded leaves',
      { riders: [rider(7)], offers: [onto] },
      [open(7, { builtOn: ['k'] })],
      [],
      [{ type: 'left', pull: 7, why: 'stranded' }],
    ],
    ['one that is not ready leaves', { riders: [rider(7)] }, [open(7, { ready: false })], [], [unready(7)]],
    ['one that a person put there stays', { riders: [rider(7, { by: 'ann' })] }, [open(7, { ready: false })], [], []],
    [
      'but not against an obstacle',
      { riders: [rider(7, { by: 'ann' })] },
      [open(7, { obstacle: 'it is a draft' })],
      [],
      [unready(7, 'it is a draft')],
    ],
    [
      'one without its ground leaves',
      { riders: [rider(7)] },
      [open(7, below())],
      [],
      [unready(7, 'it stands on #5, which is not aboard')],
    ],
    [
      'one whose ground moved leaves',
      { riders: [rider(5), rider(7)] },
      [open(5), open(7, below({ isHeld: false }))],
      [],
      [unready(7, 'it does not hold #5 as that is now')],
    ],
    [
      'one on a car that is still to land leaves',
      { riders: [rider(1), rider(7)], offers: [onto] },
      [open(1), open(7, { builtOn: ['k'] })],
      [],
      [unready(7)],
    ],
  ])('%s', (_what, state, pulls, past, events) => {
    const found = decideRiders({ ...EMPTY_TRAIN, ...state }, pulls, past)
    expect(found).toHaveLength(events.length)
    expect(found).toMatchObject(events)
  })
})

const car = (pull: number) => ({ pull, headSha: `h${pull}`, commit: `c${pull}`, tree: `t${pull}` })
const tested = (pull: number) => ({ commit: `c${pull}`, tree: `t${pull}` })
const [passed, running, failed] = [
  { state: 'passed' },
  { state: 'running' },
  { state: 'failed', check: 'lint' },
] as const
const suspect = (pull: number, more: Partial<Rider> = {}) => rider(pull, { suspect: 'lint', ...more })
const stopped = { base: 'b', tree: 't0', check: 'lint', at: 't' }
const gone = (pull: number, ahead: number[]) => ({
  type: 'left',
  pull,
  headSha: `h${pull}`,
  why: 'red',
  check: 'lint',
  commit: `c${pull}`,
  tree: `t${pull}`,
  ahead,
})

describe('with its cars, the train', () => {
  it.each<
    [
      string,
      Partial<TrainState>,
      Partial<Train>,
      Record<string, TreeResult>,
      { events?: object[]; test?: object[]; land?: number },
    ]
  >([
    ['tests what is not known', {}, {}, { t2: running }, { test: [tested(1), tested(3)] }],
    ['lands the first that passed', {}, {}, { t1: passed }, { test: [tested(2), tested(3)], land: 1 }],
    ['lands nothing out of its order', {}, {}, { t1: running, t2: passed, t3: passed }, {}],
    ['has nothing to do without cars', {}, { cars: [] }, {}, {}],
    ['waits while it is paused', { paused: { by: 'ann', at: 't' } }, {}, { t1: passed }, {}],
    ['waits while its base is red', { stopped }, {}, { t1: passed }, {}],
    [
      'goes on with another base',
      { stopped: { ...stopped, base: 'older' } },
      {},
      { t1: passed },
      { events: [{ type: 'continued' }] },
    ],
    [
      'lets a repair of its base ride',
      { stopped, riders: [rider(1, { first: true })] },
      { cars: [car(1)] },
      { t1: passed },
      { land: 1 },
    ],
    [
      'lets only a repair ride',
      { stopped, riders: [rider(1, { first: true }), rider(2)] },
      { cars: [car(1), car(2)] },
      { t1: passed },
      {},
    ],
    [
      'loses a repair that is none',
      { stopped, riders: [suspect(1, { first: true })] },
      { cars: [car(1)] },
      { t1: failed },
      { events: [gone(1, [])] },
    ],
    [
      'says what rules did to one that left',
      { riders: [suspect(2)] },
      { cars: [car(1), { ...car(2), resolved: ['a.ts has the additions of both', 'LOG.md has the lines of both'] }] },
      { t1: passed, t2: failed },
      {
        events: [{ ...gone(2, [1]), byRules: 'a.ts has the additions of both; LOG.md has the lines of both' }],
      },
    ],
    [
      'clears a suspect that passes',
      { riders: [suspect(2)] },
      {},
      { t2: passed },
      { events: [{ type: 'flaky', pull: 2, tree: 't2', check: 'lint' }] },
    ],
    [
      'runs again what failed',
      { riders: [rider(1)] },
      {},
      { t1: failed },
      { events: [{ type: 'rerun', pull: 1, tree: 't1', check: 'lint' }] },
    ],
    ['blames nobody behind what runs', {}, {}, { t1: running, t2: failed, t3: running }, {}],
    [
      'blames the first red behind green ones',
      { riders: [suspect(2)] },
      {},
      { t1: passed, t2: failed, t3: failed },
      { events: [gone(2, [1])] },
    ],
    [
      'says what landed since',
      {
        riders: [suspect(2)],
        landed: [
          { pull: 4, headSha: 'x', commit: 'y', at: 't1' },
          { pull: 3, headSha: 'x', commit: 'y', at: 't0' },
        ],
      },
      {},
      { t1: passed, t2: failed },
      { events: [gone(2, [4, 1])] },
    ],
    [
      'tests its base before it blames the first',
      { riders: [suspect(1)] },
      {},
      { t1: failed, t2: running, t3: running },
      { test: [{ commit: 'b', tree: 't0' }] },
    ],
    ['waits for its base', { riders: [suspect(1)] }, { cars: [car(1)] }, { t1: failed, t0: running }, {}],
    [
      'loses the first when its base is green',
      { riders: [suspect(1)] },
      {},
      { t1: failed, t0: passed },
      { events: [gone(1, [])] },
    ],
    [
      'runs a red base again',
      { riders: [suspect(1)] },
      {},
      { t1: failed, t0: { state: 'failed', check: 'unit' } },
      { events: [{ type: 'rerun', pull: null, tree: 't0', check: 'unit' }] },
    ],
    [
      'stops when its base stays red',
      { riders: [suspect(1)], reruns: ['t0 lint'] },
      {},
      { t1: failed, t0: failed },
      { events: [{ type: 'stopped', base: 'b', tree: 't0', check: 'lint' }] },
    ],
  ])('%s', (_what, state, train, results, { events = [], test = [], land }) => {
    const whole: Train = { base: 'b', baseTree: 't0', cars: [1, 2, 3].map(car), conflicts: [], ...train }
    const decision = decideCars({ ...EMPTY_TRAIN, ...state }, whole, (tree) => results[tree] ?? null)
    expect(decision.events).toHaveLength(events.length)
    expect(decision.events).toMatchObject(events)
    expect(decision.test).toEqual(test)
    expect(decision.land?.pull).toBe(land)
  })
})
