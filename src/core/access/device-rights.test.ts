import { describe, expect, it } from 'vitest'
import { cleanDeviceName } from './device-name.ts'
import { describeRight, hasRight, neededRight } from './device-rights.ts'

describe('the right that a route needs', () => {
  it.each([
    ['GET', '/api/sessions', 'look'],
    ['GET', '/api/devices', 'full'],
    ['POST', '/api/sessions/:id/permission', 'answer'],
    ['POST', '/api/sessions/:id/send', 'answer'],
    ['POST', '/api/sessions/:id/retry', 'answer'],
    ['POST', '/api/sessions/:id/messages/:message/edit', 'answer'],
    ['POST', '/api/sessions/:id/messages/:message/withdraw', 'answer'],
    ['POST', '/api/sign-out', 'look'],
    ['POST', '/api/push', 'look'],
    ['POST', '/api/push/remove', 'look'],
    ['POST', '/api/push/test', 'look'],
    ['POST', '/api/config', 'full'],
    ['GET', '/api/config', 'full'],
    ['POST', '/api/sessions/:id/kill', 'full'],
    ['POST', '/api/of/tomorrow', 'full'],
    ['PATCH', '/api/sessions', 'full'],
    ['POST', '/api/devices/:id/revoke', 'full'],
    ['TRACE', '/api/sessions', 'full'],
    ['POST', 'constructor', 'full'],
  ])('of %s %s is %s', (method, path, right) => {
    expect(neededRight({ method, path })).toBe(right)
  })

  it('is had by those who have it or more', () => {
    const all = ['look', 'answer', 'full'] as const
    expect(all.map((own) => all.map((needed) => hasRight(own, needed)))).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ])
  })

  it('is described by what it adds', () => {
    expect(describeRight('look')).toMatch(/change nothing$/)
    expect(describeRight('answer')).toMatch(/answer agents/)
    expect(describeRight('full')).toMatch(/everything that the page can do/)
  })
})

it.each([
  ['  my \n phone ', 'my phone'],
  ['\u202egnp', '\\u202egnp'],
  ['x'.repeat(100), 'x'.repeat(60)],
  [' \t ', null],
])('a device called %j is shown as %j', (given, shown) => {
  expect(cleanDeviceName(given)).toBe(shown)
})
