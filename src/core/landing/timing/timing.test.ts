import { describe, expect, it } from 'vitest'
import { EMPTY_TRAIN, evolve, type TrainEvent, type TrainEventBody, type TrainState } from '../train-state.ts'
import { type EstimateFacts, estimateLanding } from './estimate-landing.ts'
import { type FreezeWindow, haltOf, thawUntil } from './halt.ts'
import { idleText, idleTime } from './idle-time.ts'

const at = (text: string) => Date.parse(text)
const MINUTE = 60_000
const paused = (more: object = {}): TrainState => ({
  ...EMPTY_TRAIN,
  paused: { by: 'ann', at: '2026-11-20T10:00:00Z', ...more },
})

describe('why nothing lands', () => {
  const weekend: FreezeWindow = { from: 'Fri 16:00', to: 'Mon 08:00', timezone: 'Europe/Berlin', reason: 'weekend' }
  const holidays: FreezeWindow = { from: '2026-12-23', to: '2027-01-02 12:00', timezone: 'UTC' }
  it.each<[string, TrainState, FreezeWindow[], number | undefined, string | null, string | null]>([
    ['nothing', EMPTY_TRAIN, [weekend, holidays], at('2026-11-18T12:00:00Z'), null, null],
    ['a pause', paused({ reason: 'release' }), [], 0, 'paused by ann: release', null],
    [
      'a pause with an end',
      paused({ until: '2026-11-20T12:00:00Z' }),
      [],
      at('2026-11-20T11:59:00Z'),
      'paused by ann, until 2026-11-20T12:00:00Z',
      '2026-11-20T12:00:00.000Z',
    ],
    ['no pause that is over', paused({ until: '2026-11-20T12:00:00Z' }), [], at('2026-11-20T12:00:00Z'), null, null],
    ['a pause whose end cannot be read', paused({ until: 'soon' }), [], undefined, 'paused by ann, until soon', null],
    [
      'a weekly window, in its own time zone',
      EMPTY_TRAIN,
      [weekend],
      at('2026-11-20T15:00:30Z'),
      'frozen by landing.freeze until Mon 08:00 (Europe/Berlin): weekend',
      '2026-11-23T07:00:00.000Z',
    ],
    ['not a minute before it', EMPTY_TRAIN, [weekend], at('2026-11-20T14:59:59Z'), null, null],
    ['not from its end on', EMPTY_TRAIN, [weekend], at('2026-11-23T07:00:00Z'), null, null],
    [
      'a window of dates',
      EMPTY_TRAIN,
      [holidays],
      at('2026-12-31T23:00:00Z'),
      'frozen by landing.freeze until 2027-01-02 12:00 (UTC)',
      '2027-01-02T12:00:00.000Z',
    ],
    [
      'not what a person lifted',
      { ...EMPTY_TRAIN, thawed: '2027-01-02T12:00:00Z' },
      [holidays],
      at('2026-12-31T23:00:00Z'),
      null,
      null,
    ],
    [
      'a time zone that nobody knows',
      EMPTY_TRAIN,
      [{ ...weekend, timezone: 'Mars/Olympus' }],
      at('2026-11-18T12:00:00Z'),
      'frozen by landing.freeze until Mon 08:00 (Mars/Olympus): weekend; the time zone is unknown here',
      null,
    ],
  ])('is %s', (_what, state, windows, now, why, until) => {
    const halt = haltOf(state, windows, now)
    expect(halt?.why ?? null).toBe(why)
    const end = halt?.until ?? null
    expect(end === null || Number.isNaN(end) ? null : new Date(end).toISOString()).toBe(until)
  })

  it('can be lifted for a day where its end is unknown', () => {
    const now = at('2026-11-21T12:00:00Z')
    const lift = (window: FreezeWindow) => thawUntil(haltOf(EMPTY_TRAIN, [window], now)!, now)
    expect(lift(weekend)).toEqual({ until: at('2026-11-23T07:00:00Z'), isGuess: false })
    const unknown = { ...weekend, timezone: 'Mars/Olympus' }
    expect(lift(unknown)).toEqual({ until: at('2026-11-22T12:00:00Z'), isGuess: true })
    const thawed = { ...EMPTY_TRAIN, thawed: new Date(lift(unknown).until).toISOString() }
    expect(haltOf(thawed, [unknown], now)).toBeNull()
  })
})

describe('when a pull request lands', () => {
  const FACTS: EstimateFacts = {
    riders: [1, 2, 3].map((pull) => ({ pull, state: 'testing' })),
    batch: 2,
    durations: [4 * MINUTE, 5 * MINUTE, 60 * MINUTE],
    halt: null,
    obstacle: null,
    now: 0,
  }
  const green = { riders: [{ pull: 1, state: 'green' as const }] }
  it.each<[string, Partial<EstimateFacts>, number, string]>([
    ['a run of the checks from now', {}, 1, 'in about 5 min'],
    ['a further run for the next batch', {}, 3, 'in about 10 min'],
    ['at once when everything up to it is green', green, 1, 'within a minute'],
    ['unknown without a measurement', { durations: [] }, 1, 'unknown: no check of a car was measured yet'],
    [
      'unknown when all that was measured is nonsense',
      { durations: [-1, Number.NaN, 1e12, 0] },
      2,
      'unknown: no check',
    ],
    ['unknown when it is not aboard', {}, 9, 'unknown: it is not aboard'],
    [
      'unknown while the base branch is red',
      { obstacle: 'the base branch is red' },
      1,
      'unknown: the base branch is red',
    ],
    [
      'unknown in a pause without an end',
      { halt: { kind: 'paused', why: 'paused by ann', until: null } },
      1,
      'unknown: paused by ann',
    ],
    ['after a freeze', { halt: { kind: 'frozen', why: 'frozen', until: 120 * MINUTE } }, 1, 'in about 2 h, frozen'],
    [
      'not before now when the freeze is over',
      { halt: { kind: 'frozen', why: 'x', until: -99 } },
      1,
      'in about 5 min, x',
    ],
  ])('is %s', (_what, more, pull, text) => {
    expect(estimateLanding({ ...FACTS, ...more }, pull).text).toContain(text)
  })
})

describe('the time of the train', () => {
  const event = (time: string, body: TrainEventBody): TrainEvent => ({ ...body, at: `2026-11-18T${time}:00Z` })
  const events = [
    event('10:00', { type: 'boarded', pull: 1, headSha: 'a', by: 'ao' }),
    event('10:10', { type: 'landed', pull: 1, headSha: 'a', commit: 'c' }),
    event('10:30', { type: 'paused', by: 'ann' }),
    event('10:45', { type: 'resumed', by: 'ann' }),
    event('10:50', { type: 'stopped', base: 'b', tree: 't', check: 'test' }),
    event('11:00', { type: 'continued' }),
  ]
  const minutes = (list: TrainEvent[], windows: FreezeWindow[], now: string) =>
    Object.entries(idleTime(list, windows, at(`2026-11-18T${now}:00Z`)).spent).flatMap(([cause, ms]) =>
      ms === 0 ? [] : [`${cause} ${ms / MINUTE}`],
    )

  it('is counted by cause, and adds up', () => {
    expect(minutes(events, [], '11:05')).toEqual(['testing 10', 'empty 30', 'paused 15', 'stopped 10'])
    const frozen = [{ from: 'Wed 11:00', to: 'Wed 11:30', timezone: 'UTC' }]
    expect(minutes(events, frozen, '11:40')).toEqual(['testing 10', 'empty 35', 'paused 15', 'frozen 30', 'stopped 10'])
  })

  it('counts nothing twice when the clock went backwards, and nothing of the future', () => {
    const odd = [events[0]!, event('09:00', { type: 'paused', by: 'x' }), event('23:00', { type: 'resumed', by: 'x' })]
    expect(minutes(odd, [], '10:20')).toEqual(['paused 20'])
    expect(minutes([], [], '10:00')).toEqual([])
  })

  it('is counted with one formatter for each time zone', () => {
    const { DateTimeFormat } = Intl
    let made = 0
    Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
      construct: (format, given: ConstructorParameters<typeof DateTimeFormat>) => {
        made++
        return new format(...given)
      },
    })
    try {
      minutes(events, [{ from: 'Wed 11:00', to: 'Wed 11:30', timezone: 'Asia/Tokyo' }], '11:40')
    } finally {
      Intl.DateTimeFormat = DateTimeFormat
    }
    expect(made).toBe(1)
  })

  it('is counted past what is no event, and past events of a newer version', () => {
    const newer = event('10:05', { type: 'teleported' } as unknown as TrainEventBody)
    const list = [null, events[0]!, newer, ...events.slice(1)]
    expect(idleTime(list, [], at('2026-11-18T11:05:00Z'))).toEqual(idleTime(events, [], at('2026-11-18T11:05:00Z')))
  })

  it('keeps the reason and the end of a pause', () => {
    const state = evolve(EMPTY_TRAIN, event('10:00', { type: 'paused', by: 'a', reason: 'r', until: 'u' }))
    expect(state.paused).toMatchObject({ by: 'a', reason: 'r', until: 'u' })
  })
})

it('does not name what took less than a minute', () => {
  expect(idleText({ testing: 59_999, empty: 0, paused: 2 * MINUTE })).toBe('paused 2 min')
  expect(idleText({ testing: 59_999 })).toBeNull()
})
