import { describe, expect, it } from 'vitest'
import { promptTitle } from './prompt-title.ts'

describe('promptTitle', () => {
  it.each([
    ['You work on x.\n\n## Issue 7\n\nThe text between\n~~~\n# Add a greeting\n\nbody\n~~~', 'Add a greeting'],
    ['You work on x.\n\n## Task\n\nWork on: tidy up', 'tidy up'],
    ['## Issue 7\n\n~~~\nIssue 7: Fix login\n~~~', 'Fix login'],
    ['You work on x.\n\n## Task\n\nMake it blue\nnow', 'Make it blue'],
    ['Just words', 'Just words'],
    ['\n---\n  second line', 'second line'],
    ['', ''],
  ])('takes %j as %j', (prompt, title) => {
    expect(promptTitle(prompt)).toBe(title)
  })
})
