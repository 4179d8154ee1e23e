import { describe, expect, it } from 'vitest'
import { printable } from '../program/screen.ts'
import { yesOrNo } from './create-performance.ts'
import { isHarmless } from './perform-step.ts'

describe('a command of a script, which may be a stranger’s', () => {
  it.each([
    ['echo', 'hi'],
    ['ls', '-la'],
    ['git', 'status'],
    ['sleep', '3'],
  ])('%s %s runs without a question', (...argv) => {
    expect(isHarmless(argv)).toBe(true)
  })

  it.each([
    [['rm', '-rf', '.']],
    [['bash', '-c', 'echo']],
    [['npm', 'test']],
    [['git', 'push']],
    [['git', 'log', '--output=/x']],
    [['/bin/echo']],
    [[]],
  ])('%j needs a yes', (argv) => {
    expect(isHarmless(argv)).toBe(false)
  })
})

describe('words', () => {
  it.each([
    ['y', true],
    ['Yes, please', true],
    ['ok', true],
    ['no', false],
    ['Never!', false],
    ['perhaps', null],
    ['yesterday', null],
    ['', null],
  ])('%j means %s', (answer, meaning) => {
    expect(yesOrNo(answer)).toBe(meaning)
  })

  it('of others cannot drive the terminal', () => {
    expect(printable('a\x1b[2Jb\x07\x9b31mc\r\nd\te')).toBe('a[2Jb31mc\nd\te')
  })
})
