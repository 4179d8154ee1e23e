import { describe, expect, it } from 'vitest'
import { simpleJq } from './simple-jq.ts'

const PULLS = [
  { number: 1, title: 'a b', author: { login: 'sam' }, labels: [{ name: 'x' }, { name: 'y' }] },
  { number: 2, title: 'c', author: null, labels: [] },
]

describe('the usual jq without jq', () => {
  it.each([
    ['.', [JSON.stringify(PULLS)]],
    ['.[].number', ['1', '2']],
    ['.[0].title', ['a b']],
    ['.[-1].title', ['c']],
    ['.[].author.login', ['sam', 'null']],
    ['.[] | .labels[] | .name', ['x', 'y']],
    ['.[0].labels | length', ['2']],
    ['.[5].title', ['null']],
    ['.[0]["title"]', ['a b']],
    ['length', ['2']],
  ])('%s', (expression, lines) => {
    expect(simpleJq(PULLS, expression)).toEqual(lines)
  })

  it.each(['map(.x)', '.[] | select(.number == 1)', '.a+1', '"x"'])('says that %s needs jq', (expression) => {
    expect(() => simpleJq(PULLS, expression)).toThrow(/needs jq/)
  })
})
