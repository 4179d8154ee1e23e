import { describe, expect, it } from 'vitest'
import { readAnswers } from './ask-together.ts'

describe('the answers of git merge-tree --stdin', () => {
  it.each([
    ['nothing', '', []],
    ['a clean merge', '1\0tree\0\0', [false]],
    ['conflicts, then a clean one', '0\0tree\0a\0b\0\0' + '1\0tree\0\0', [true, false]],
    ['an end that is missing', '1\0tree\0\0' + '0\0tree\0a', [false, true]],
    ['something else', 'usage: git merge-tree\0\0', []],
  ])('%s', (_what, output, expected) => {
    expect(readAnswers(output)).toEqual(expected)
  })
})
