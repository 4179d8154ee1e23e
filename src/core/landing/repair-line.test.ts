import { describe, expect, it } from 'vitest'
import type { Car, RiderFacts, Train, TreeResult } from './decide-train.ts'
import { decideAboard, decideAshore, type LineFacts } from './repair-line.ts'
import { EMPTY_TRAIN, type Left, type Rider, type TrainState } from './train-state.ts'

const rider = (pull: number, more: Partial<Rider> = {}): Rider => {
  return { pull, headSha: `h${pull}`, by: 'ao', at: '2026-01-01', passedOver: 0, ...more }
}
const requested = (pull: number, more: Partial<Left> = {}): Left => {
  return { pull, headSha: `h${pull}`, why: 'conflict', at: 'now', onto: { commit: 'older', cars: [] }, ...more }
}
const open = (number: number, more: Partial<RiderFacts> = {}): RiderFacts => {
  return { number, headSha: `h${number}`, ready: true, conflicts: true, hasAgent: true, obstacle: null, ...more }
}
const car = (pull: number): Car => ({ pull, headSha: `h${pull}`, commit: `c${pull}`, tree: `t${pull}` })
const stateOf = (more: Partial<TrainState>): TrainState => ({ ...EMPTY_TRAIN, ...more })
const factsOf = (pulls: RiderFacts[], pairs: string[] | 'all' = 'all'): LineFacts => ({
  pulls,
  collide: (a, b) => pairs === 'all' || pairs.includes(`${a} ${b}`) || pairs.includes(`${b} ${a}`),
  isRecent: (at) => at === 'now',
})
const turnsOf = ({ events, waiting }: ReturnType<typeof decideAshore>) => ({
  turns: events.map((event) => ('pull' in event ? event.pull : null)),
  waiting: waiting.map(({ pull, behind }) => `${pull} behind ${behind.join(' ')}`),
})

describe('ashore, of those that conflict with the base branch', () => {
  const play = (pulls: RiderFacts[], state: Partial<TrainState> = {}, pairs: string[] | 'all' = 'all') =>
    turnsOf(decideAshore(stateOf(state), 'b', factsOf(pulls, pairs)))

  it('only the first of a group is asked, onto the base branch as it is', () => {
    const { events } = decideAshore(EMPTY_TRAIN, 'b', factsOf([open(3), open(2), open(4)]))
    expect(events).toMatchObject([{ type: 'left', pull: 2, why: 'conflict', onto: { commit: 'b', cars: [] } }])
    expect(play([open(3), open(2), open(4)])).toEqual({ turns: [2], waiting: ['3 behind 2', '4 behind 2'] })
  })

  it('those that do not conflict with each other are asked at once', () => {
    expect(play([open(1), open(2), open(3)], {}, ['1 3'])).toEqual({ turns: [1, 2], waiting: ['3 behind 1'] })
  })

  it('approved and green ones come first', () => {
    expect(play([open(1, { ready: false }), open(2)])).toEqual({ turns: [2], waiting: ['1 behind 2'] })
  })

  it.each<[string, Partial<TrainState>, RiderFacts]>([
    ['is aboard', { riders: [rider(1)] }, open(1, { conflicts: false })],
    ['was asked and is at it', { left: [requested(1)] }, open(1)],
    [
      'has another head since, which has not landed',
      { left: [requested(1, { headSha: 'old' })] },
      open(1, { conflicts: false }),
    ],
    ['is built on what will not land', { left: [requested(1, { why: 'stranded' })] }, open(1)],
  ])('one waits while another one of its group %s', (_what, state, first) => {
    expect(play([first, open(2)], state)).toEqual({ turns: [], waiting: ['2 behind 1'] })
  })

  it.each<[string, Partial<TrainState>, RiderFacts[]]>([
    ['was asked long ago', { left: [requested(1, { at: 'before' })] }, [open(1)]],
    ['left for another reason', { left: [requested(1, { why: 'red' })] }, [open(1, { conflicts: false })]],
    ['is closed', { left: [requested(1)] }, []],
  ])('nobody waits for one that %s', (_what, state, others) => {
    expect(play([...others, open(2)], state)).toEqual({ turns: [2], waiting: [] })
  })

  it('one whose new head conflicts again is asked again, in its turn', () => {
    expect(play([open(1, { headSha: 'new' }), open(2)], { left: [requested(1)] })).toEqual({
      turns: [1],
      waiting: ['2 behind 1'],
    })
  })

  it('nobody is asked twice for one head, without an agent, on a stack, or without a conflict', () => {
    const below = { pull: 9, isLanded: false, isHeld: true }
    const pulls = [open(2, { hasAgent: false }), open(3, { below }), open(4, { conflicts: false })]
    expect(play([open(1), ...pulls], { left: [requested(1, { at: 'before' })] })).toEqual({ turns: [], waiting: [] })
  })
})

describe('aboard', () => {
  const passed: TreeResult = { state: 'passed' }
  const of = (pull: number) => ({ pull, headSha: `h${pull}`, files: ['a'] })
  const play = (
    train: Partial<Train>,
    results: Record<string, TreeResult> = {},
    { state = {}, pairs = 'all' as string[] | 'all' } = {},
  ) => {
    const whole: Train = { base: 'b', baseTree: 't0', cars: [], conflicts: [], ...train }
    const facts = factsOf(
      [1, 2, 3, 8, 9].map((number) => open(number, { conflicts: false })),
      pairs,
    )
    return decideAboard(stateOf(state), whole, facts, (tree) => results[tree] ?? null)
  }
  const cars = [car(1), car(2)]

  it('one that does not merge with the base branch leaves; the next one of its group keeps its place', () => {
    const turns = play({ conflicts: [{ ...of(8), said: 'x' }, of(9)] })
    expect(turns.events).toMatchObject([
      { type: 'left', pull: 8, files: ['a'], said: 'x', why: 'conflict', onto: { commit: 'b', cars: [] } },
    ])
    expect(turns.waiting).toEqual([{ pull: 9, headSha: 'h9', behind: [8] }])
  })

  it('it waits for cars that it conflicts with too', () => {
    expect(turnsOf(play({ cars, conflicts: [of(8)] }, {}, { pairs: ['1 8'] }))).toEqual({
      turns: [],
      waiting: ['8 behind 1'],
    })
  })

  it('of those that do not fit behind green cars, the first one is asked to build on these', () => {
    const meets = [
      { ...of(8), behind: 2 },
      { ...of(9), behind: 2 },
    ]
    const turns = play(
      { cars, meets },
      { t1: passed, t2: passed },
      { state: { riders: [rider(8, { passedOver: 2 })] } },
    )
    expect(turns.events).toMatchObject([
      { pull: 8, passedOver: 3, onto: { commit: 'c2', cars: [of(1), of(2)].map(({ files, ...one }) => one) } },
    ])
    expect(turnsOf(turns).waiting).toEqual(['9 behind 8'])
  })

  it.each<[string, Record<string, TreeResult>]>([
    ['untested', {}],
    ['under test', { t1: passed, t2: { state: 'running' } }],
    ['behind a red one', { t1: { state: 'failed', check: 'unit' }, t2: passed }],
  ])('nobody is asked to build on cars that are %s', (_what, results) => {
    expect(turnsOf(play({ cars, meets: [{ ...of(9), behind: 2 }] }, results))).toEqual({
      turns: [],
      waiting: ['9 behind 1 2'],
    })
  })

  it('one that was repaired and is a car by now keeps nobody from building on it', () => {
    const state = { left: [requested(1, { headSha: 'old' })] }
    const turns = play({ cars: [car(1)], meets: [{ ...of(9), behind: 1 }] }, { t1: passed }, { state })
    expect(turnsOf(turns)).toEqual({ turns: [9], waiting: [] })
  })
})
