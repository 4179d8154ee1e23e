import { expect, it } from 'vitest'
import { createInbox } from './inbox.ts'

it('carries an input out once for each key, as long as the key is remembered', () => {
  const inbox = createInbox<number>(2)
  let done = 0
  const take = (key?: string) => inbox.take(key, () => ++done)
  expect([take('a'), take('a'), take('b'), take('a')]).toEqual([1, 1, 2, 1])
  expect([take('c'), take('a')]).toEqual([3, 4])
  expect(inbox.taken()).toEqual(['c', 'a'])
  inbox.forget(['a'])
  expect([take('a'), take(), take()]).toEqual([5, 6, 7])
})
