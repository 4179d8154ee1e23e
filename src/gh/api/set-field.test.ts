import { describe, expect, it } from 'vitest'
import { setField } from './request.ts'

const build = (...pairs: Array<[string, unknown]>) => {
  const fields = {}
  for (const [key, value] of pairs) setField(fields, key, value)
  return fields
}

describe('fields of a request', () => {
  it.each<[Array<[string, unknown]>, object]>([
    [[['a', 1]], { a: 1 }],
    [
      [
        ['a[b]', 1],
        ['a[c]', 2],
      ],
      { a: { b: 1, c: 2 } },
    ],
    [
      [
        ['a[]', 1],
        ['a[]', 2],
      ],
      { a: [1, 2] },
    ],
    [[['a[]', '']], { a: [] }],
    [
      [
        ['a[][b]', 1],
        ['a[][c]', 2],
        ['a[][b]', 3],
      ],
      { a: [{ b: 1, c: 2 }, { b: 3 }] },
    ],
    [[['a[b][c][]', 1]], { a: { b: { c: [1] } } }],
  ])('%j', (pairs, fields) => {
    expect(build(...pairs)).toEqual(fields)
  })

  it.each<[Array<[string, unknown]>, RegExp]>([
    [
      [
        ['a', 1],
        ['a', 2],
      ],
      /unexpected override existing field under "a"/,
    ],
    [
      [
        ['a', 1],
        ['a[b]', 2],
      ],
      /contradicts an earlier one/,
    ],
    [
      [
        ['a[]', 1],
        ['a[b]', 2],
      ],
      /contradicts an earlier one/,
    ],
    [[['a[', 1]], /invalid key/],
    [[['__proto__[x]', 1]], /invalid key/],
    [[['a[__proto__][x]', 1]], /invalid key/],
  ])('refuses %j', (pairs, why) => {
    expect(() => build(...pairs)).toThrow(why)
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })
})
