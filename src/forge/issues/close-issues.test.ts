import { describe, expect, it } from 'vitest'
import { closedIssues } from './close-issues.ts'

describe('the issues that a pull request closes', () => {
  it.each([
    ['Fix login', 'Closes #1 and fixes #2.\nResolved: #3', 'x', [1, 2, 3]],
    ['Fixes #4', '', 'feat/issue-5', [4, 5]],
    ['see #6', 'discloses #7, closes 8', 'feat/issue-x', []],
    ['close #1', 'CLOSED #1', 'feat/issue-1', [1]],
  ])('%j with %j from %j: %j', (title, body, head, expected) => {
    expect(closedIssues({ title, body, head })).toEqual(expected)
  })
})
