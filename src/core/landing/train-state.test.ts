import { describe, expect, it } from 'vitest'
import { mayBeFlaky } from './second-run.ts'
import { isGrounded, strandedOn } from './stand-on-cars.ts'
import {
  attemptOf,
  EMPTY_TRAIN,
  evolve,
  secondRunOf,
  secondRunsOf,
  type TrainEventBody,
  type TrainState,
} from './train-state.ts'

const boarded = (pull: number, headSha = `h${pull}`, more = {}): TrainEventBody => ({
  type: 'boarded',
  pull,
  headSha,
  by: 'ann',
  ...more,
})
const left = (pull: number, more = {}) =>
  ({ type: 'left', pull, headSha: `h${pull}`, why: 'red', ...more }) as TrainEventBody
const landed = (pull: number) => ({ type: 'landed', pull, headSha: `h${pull}`, commit: `c${pull}` }) as const
const chance = (type: 'rerun' | 'flaky', pull: number | null, check = 'test'): TrainEventBody =>
  ({ type, pull, tree: 't1', check }) as never
const play = (...events: TrainEventBody[]): TrainState =>
  events.reduce((state, body, index) => evolve(state, { ...body, at: `t${index}` }), EMPTY_TRAIN)
const aboard = ({ riders }: TrainState) => riders.map(({ pull }) => pull)

describe('the train', () => {
  it('has riders in the order in which they boarded, each once', () => {
    const state = play(boarded(1), boarded(2), boarded(1, 'h1b', { first: true }))
    expect(state.riders).toEqual([
      { pull: 2, headSha: 'h2', by: 'ann', at: 't1', passedOver: 0, first: undefined },
      { pull: 1, headSha: 'h1b', by: 'ann', at: 't2', passedOver: 0, first: true },
    ])
  })

  it('remembers why each left last, until it lands', () => {
    const state = play(boarded(1), boarded(2), left(1), boarded(1), left(1, { why: 'conflict' }))
    expect(aboard(state)).toEqual([2])
    expect(state.left).toMatchObject([{ pull: 1, why: 'conflict' }])
    expect(state.left[0]).not.toHaveProperty('type')
    expect(play(left(1), left(2), landed(1)).left).toMatchObject([{ pull: 2 }])
  })

  it('counts who was passed over, also when it boards again', () => {
    const state = play(boarded(1), boarded(2), boarded(3), landed(2), landed(3))
    expect(state.riders).toMatchObject([{ pull: 1, passedOver: 2 }])
    expect(state.landed).toMatchObject([{ pull: 2, commit: 'c2', at: 't3' }, { pull: 3 }])
    expect(play(boarded(1), landed(9)).riders).toMatchObject([{ passedOver: 0 }])
    expect(play(left(1, { passedOver: 4 }), left(2, { passedOver: 9 }), boarded(1)).riders).toMatchObject([
      { passedOver: 4 },
    ])
  })

  it('stops and goes on', () => {
    const stopped = { type: 'stopped', base: 'b', tree: 't1', check: 'test' } as const
    expect(play({ type: 'paused', by: 'ann' }).paused).toEqual({ by: 'ann', at: 't0' })
    expect(play(stopped).stopped).toEqual({ base: 'b', tree: 't1', check: 'test', at: 't0' })
    expect(play(stopped, { type: 'continued' })).toMatchObject({ stopped: null, reruns: [] })
    const resumed = play({ type: 'paused', by: 'ann' }, stopped, { type: 'resumed', by: 'ann' })
    expect(resumed).toMatchObject({ paused: null, stopped: null, reruns: ['t1 resumed'] })
    expect(play({ type: 'paused', by: 'ann' }, { type: 'resumed', by: 'ann' }).reruns).toEqual([])
  })

  it('gives each failed run of a tree a run of its own, and suspects its rider meanwhile', () => {
    const state = play(boarded(1), boarded(2), chance('rerun', 1))
    expect(state.riders).toMatchObject([{ pull: 1, suspect: 'test' }, { pull: 2 }])
    expect(state.riders[1]).not.toHaveProperty('suspect')
    expect([attemptOf(state, 't1'), attemptOf(state, 't2'), attemptOf(state, 't')]).toEqual([2, 1, 1])
    const passed = evolve(state, { ...chance('flaky', 1), at: 't' } as never)
    expect(passed).toMatchObject({ flaky: ['t1 test'], reruns: ['t1 test'] })
    expect(passed.riders[0]!.suspect).toBeUndefined()
    expect([secondRunOf(state.riders[0]!), secondRunOf(passed.riders[0]!)]).toEqual([
      'test failed, running once more',
      null,
    ])
    const landed = evolve(passed, { type: 'landed', pull: 1, headSha: 'h', commit: 'c', at: 't' })
    expect(landed.landed).toMatchObject([{ pull: 1, flaky: ['test'] }])
    expect(
      evolve(landed, { type: 'landed', pull: 2, headSha: 'h', commit: 'd', at: 't' }).landed[1],
    ).not.toHaveProperty('flaky')
    const asHead = play(boarded(3, 'h3', { flaky: ['unit'] }))
    expect(evolve(asHead, { type: 'landed', pull: 3, headSha: 'h', commit: 'c', at: 't' }).landed).toMatchObject([
      { pull: 3, flaky: ['unit'] },
    ])
    expect([secondRunsOf(passed, 'test'), secondRunsOf(state, 'test'), secondRunsOf(state, 'es')]).toEqual([
      ['passed'],
      ['failed'],
      [],
    ])
  })

  it.each<[boolean, Array<'passed' | 'failed'>]>([
    [true, []],
    [true, ['failed', 'failed']],
    [false, ['failed', 'failed', 'failed']],
    [true, ['failed', 'failed', 'failed', 'passed']],
  ])('a failure on a head may be bad luck: %s after second runs that %j', (expected, earlier) => {
    expect(mayBeFlaky(earlier)).toBe(expected)
  })

  it('brings one over to the base branch, if it is still the same', () => {
    const moved = (headSha: string) =>
      play(boarded(1), boarded(2), { type: 'retargeted', pull: 1, headSha, carried: true }).riders.map(
        ({ carried }) => carried,
      )
    expect(moved('h1')).toEqual([true, undefined])
    expect(moved('older')).toEqual([undefined, undefined])
  })

  it('keeps the last of everything', () => {
    const many = Array.from({ length: 210 }, (_, index) => index)
    expect(play(...many.map((pull) => left(pull))).left.map(({ pull }) => pull)).toEqual(many.slice(10))
    expect(play(...many.map(landed)).landed).toHaveLength(200)
    expect(play(...many.map(() => chance('rerun', null))).reruns).toHaveLength(200)
  })
})

describe('a car that was offered', () => {
  const cars = [
    { pull: 1, headSha: 'h1' },
    { pull: 2, headSha: 'h2' },
  ]
  const onto = { commit: 'k', cars }
  const offered = (...before: TrainEventBody[]) => play(...before, left(3, { why: 'conflict', onto }))

  it('is remembered while something is in it', () => {
    expect(offered().offers).toEqual([onto])
    expect(offered(left(4, { why: 'conflict', onto: { commit: 'k', cars: [cars[0]] } })).offers).toEqual([onto])
    expect(offered(left(4, { why: 'conflict', onto: { ...onto, commit: 'j' } })).offers).toHaveLength(2)
    expect(play(left(4, { why: 'red', onto })).offers).toEqual([])
    expect(
      play(left(4, { why: 'conflict' }), left(5, { why: 'conflict', onto: { commit: 'k', cars: [] } })).offers,
    ).toEqual([])
  })

  it('strands whoever stands on it when something in it will not land', () => {
    expect(strandedOn(play(boarded(1), landed(2)), onto)).toBeNull()
    expect(strandedOn(play(boarded(1)), onto)).toEqual({ commit: 'k', cars: [cars[1]] })
    expect(strandedOn(play(boarded(1, 'other'), landed(2)), onto)).toEqual({ commit: 'k', cars: [cars[0]] })
  })

  it('is ground once all of it has landed', () => {
    expect(isGrounded(offered(landed(1), landed(2)), ['k'])).toBe(true)
    expect(isGrounded(offered(landed(1)), ['k'])).toBe(false)
    expect(isGrounded(offered(landed(1), landed(2)), ['k', 'unknown'])).toBe(false)
    expect(isGrounded(EMPTY_TRAIN, [])).toBe(true)
  })
})
