import { expect, it } from 'vitest'
import { pairEdited } from './edited-pairs.ts'

const pair = (removed: string[], added: string[]) => pairEdited(removed, added, (line) => line)

it('pairs a line with the one that it became, also behind new ones', () => {
  expect(pair(['const add = (a, b) => a'], ['// Adds.', 'const add = (a, b) => a + b'])).toEqual([
    ['const add = (a, b) => a', 'const add = (a, b) => a + b'],
  ])
})

it('leaves lines apart that share too little, and empty ones', () => {
  expect(pair(['return total', ''], ['throw new Error(message)', ''])).toEqual([])
})

it('keeps the order and uses each line once', () => {
  expect(pair(['let x = 1', 'let x = 1'], ['let x = 1 + 1', 'let y', 'let x = 2'])).toEqual([
    ['let x = 1', 'let x = 1 + 1'],
    ['let x = 1', 'let x = 2'],
  ])
})
