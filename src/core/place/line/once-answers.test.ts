import { expect, it } from 'vitest'
import { createOnceAnswers } from './once-answers.ts'

it('a request is carried out once for each id, as long as the id is remembered', () => {
  const once = createOnceAnswers<number>(2)
  let done = 0
  const ask = (id: string) => once.answer(id, () => ++done)
  expect([ask('a'), ask('a'), ask('b'), ask('a')]).toEqual([1, 1, 2, 1])
  expect([ask('c'), ask('a')]).toEqual([3, 4])
})
