import { describe, expect, it } from 'vitest'
import { readMergeAnswers } from './merge-trees.ts'

describe('the answers of git merge-tree --stdin', () => {
  const clean = { isClean: true, tree: 'tree', files: [] }
  it.each([
    ['nothing', '', []],
    ['a clean merge', '1\0tree\0\0', [clean]],
    [
      'conflicts, then a clean one',
      '0\0tree\0a\0b\0\0' + '1\0tree\0\0',
      [{ isClean: false, tree: 'tree', files: ['a', 'b'] }, clean],
    ],
    ['an end that is missing', '1\0tree\0\0' + '0\0tree\0a', [clean, { isClean: false, tree: 'tree', files: ['a'] }]],
    ['something else', 'usage: git merge-tree\0\0', []],
  ])('%s', (_what, output, expected) => {
    expect(readMergeAnswers(output)).toEqual(expected)
  })
})
