import { expect, it } from 'vitest'
import { findReferences } from './find-references.ts'

it.each([
  ['like @#42, please', [['issue', '42']]],
  ['see @issue:APP-7.', [['issue', 'APP-7']]],
  ['as in @app-3 and @app-3', [['session', 'app-3']]],
  ['(@docs/plan.md)', [['path', 'docs/plan.md']]],
  ['@../../etc/passwd', [['path', '../../etc/passwd']]],
  ['@.env', [['path', '.env']]],
  ['write to ada@example.com', []],
  ['ask @ada, or @everyone', []],
  ['import x from "@scope/name"', [['path', 'scope/name']]],
  ['git@github.com:a/b', []],
  ['a@@b/c', []],
])('finds what %j names', (text, expected) => {
  expect(findReferences(text).map(({ kind, name }) => [kind, name])).toEqual(expected)
})

it('takes no more than ten', () => {
  expect(findReferences(Array.from({ length: 30 }, (_, number) => `@#${number}`).join(' '))).toHaveLength(10)
})
