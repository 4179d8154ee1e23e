import { describe, expect, it } from 'vitest'
import { AMOUNT, type DayLedger, parseAmount } from '../../contract/budget.ts'
import { countDay, spentOnDay } from './count-day.ts'
import { budgetFingerprint, findOverBudget, resolveBudget } from './find-over-budget.ts'
import { readResetTime } from './reset-time.ts'

describe('an amount of money', () => {
  it.each([
    ['5 USD', 5],
    ['$0.50', 0.5],
    ['12.25usd', 12.25],
    [3, 3],
    ['5 EUR', null],
    ['-1', null],
    [0, null],
    ['0 USD', null],
    ['$0.00', null],
    ['0.01 USD', 0.01],
    [Number.NaN, null],
    ['1e9', null],
  ])('%s is %s', (given, amount) => expect(parseAmount(given)).toBe(amount))

  it('is refused as 0 in the configuration too, at its field', () => {
    expect(['0', '0 USD', '$0.00', '000.0 USD'].filter((text) => AMOUNT.test(text))).toEqual([])
  })
})

describe('what was spent on a day', () => {
  const at = (id: string, costUsd: number | null, isNew = false) => ({ id, costUsd, isNew, isCurrent: true })

  it('counts what is new, also of sessions that are gone, and begins at nothing the next day', () => {
    let ledger: DayLedger | null = null
    ledger = countDay(ledger, '2026-11-15', [at('a', 1, true), at('old', 7)])
    ledger = countDay(ledger, '2026-11-15', [at('a', 3), at('old', 8), at('silent', null)])
    expect(spentOnDay(ledger, '2026-11-15')).toBe(4)
    ledger = countDay(ledger, '2026-11-15', [at('old', 8)])
    expect(spentOnDay(ledger, '2026-11-15')).toBe(4)
    ledger = countDay(ledger, '2026-11-16', [at('old', 8.5)])
    expect(spentOnDay(ledger, '2026-11-16')).toBe(0.5)
    expect(Object.keys(ledger.sessions)).toEqual(['old'])
  })

  it('neither shrinks nor doubles when a counter starts anew', () => {
    let ledger = countDay(null, 'd', [at('a', 5, true)])
    ledger = countDay(ledger, 'd', [at('a', 1)])
    ledger = countDay(ledger, 'd', [at('a', 2)])
    expect(spentOnDay(ledger, 'd')).toBe(6)
  })

  it('is not counted twice when one tick knows only an older amount', () => {
    let ledger = countDay(null, 'd', [at('a', 5, true)])
    ledger = countDay(ledger, 'd', [{ ...at('a', 4), isCurrent: false }])
    ledger = countDay(ledger, 'd', [at('a', 5)])
    expect(spentOnDay(ledger, 'd')).toBe(5)
  })

  it('is the same object when nothing changed, so that nothing is written', () => {
    const ledger = countDay(null, 'd', [at('__proto__', 5, true)])
    expect(countDay(ledger, 'd', [at('__proto__', 5), at('b', null)])).toBe(ledger)
  })
})

describe('a budget', () => {
  it('is exceeded by the session first, then by its project today, then by all', () => {
    const budget = resolveBudget({ session: '5 USD', day: 50 }, { day: '$20', action: 'pause' }, undefined)
    const over = (sessionUsd: number | null, projectDayUsd: number, dayUsd: number) =>
      findOverBudget(budget, { sessionUsd, projectDayUsd, dayUsd })
    expect(over(4.99, 19, 49)).toBeNull()
    expect(over(null, 0, 0)).toBeNull()
    expect(over(5, 30, 60)).toMatchObject({ scope: 'session', limitUsd: 5, spentUsd: 5, action: 'pause' })
    expect(over(1, 20, 60)).toMatchObject({ scope: 'project-day', limitUsd: 20 })
    expect(over(1, 1, 50)?.text).toBe('all projects have used $50.00 today; all projects may use $50.00 a day')
  })

  it('of a session goes before that of its project, and the default is to notify', () => {
    expect(resolveBudget({ session: 5 }, { session: 2 }, 9)).toMatchObject({ sessionUsd: 9, action: 'notify' })
    expect(resolveBudget({ session: 5, action: 'stop' }, undefined, undefined)).toMatchObject({
      sessionUsd: 5,
      action: 'stop',
    })
    expect(resolveBudget(undefined, undefined, undefined)).toMatchObject({ sessionUsd: null, dayUsd: null })
  })

  it('is acted on once, and again at each further multiple', () => {
    const of = (spentUsd: number) =>
      budgetFingerprint({ scope: 'session', limitUsd: 5, spentUsd, action: 'pause', text: '', limitText: '' }, 'd')
    expect(of(5)).toBe(of(9.99))
    expect(of(10)).not.toBe(of(9.99))
  })
})

describe('when a limit is reset', () => {
  const now = Date.parse('2026-11-15T12:00:00Z')
  it.each([
    ['Claude usage limit reached. Your limit will reset at 3pm (America/New_York).', '2026-11-15T20:00:00.000Z'],
    ['5-hour limit reached ∙ resets 3pm', '2026-11-15T15:00:00.000Z'],
    ['You’ve hit your limit · resets 11:30am (UTC)', '2026-11-16T11:30:00.000Z'],
    ['Claude AI usage limit reached|1794760200', '2026-11-15T16:30:00.000Z'],
    ['You have hit your usage limit. Try again in 3 days 4 hours 12 minutes.', '2026-11-18T16:12:00.000Z'],
    ['usage limit reached, try again at 2:45 PM', '2026-11-15T14:45:00.000Z'],
    ['429: quota exceeded. Please retry in 1h34m56.7s.', '2026-11-15T13:34:56.700Z'],
    ['rate limit; resets at 2026-11-15T13:00:00Z', '2026-11-15T13:00:00.000Z'],
    ['limit reached, resets in 45 minutes', '2026-11-15T12:45:00.000Z'],
    ['limit reached, resets at 3pm (Mars/Olympus)', '2026-11-15T15:00:00.000Z'],
    ['limit reached', null],
    ['429 too many requests', null],
    ['try again in 99999 days', null],
    ['resets at 2020-01-01T00:00:00Z', null],
    ['resets at 45:99', null],
  ])('%s', (wording, time) => {
    const found = readResetTime(wording, now, 'UTC')
    expect(found === null ? null : new Date(found).toISOString()).toBe(time)
  })
})
