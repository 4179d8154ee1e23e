import { describe, expect, it } from 'vitest'
import { createStyle, wantsColour } from './style.ts'

describe('wantsColour', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { CLICOLOR: '0' }, false],
    [true, { CLICOLOR: '1' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('on a terminal (%s) with %j: %s', (isTTY, env, expected) => {
    expect(wantsColour({ isTTY }, env)).toBe(expected)
  })
})

describe('createStyle', () => {
  it('paints only when it is enabled', () => {
    expect(createStyle(true).red('x')).toBe('\u001b[31mx\u001b[39m')
    expect(createStyle(false).red('x')).toBe('x')
  })
})
