import { describe, expect, it } from 'vitest'
import { parseFlags } from './gh-flags.ts'

const FLAGS = { body: { short: 'b', value: true }, draft: { short: 'd' }, fill: { short: 'f' } } as const

describe('flags as gh reads them', () => {
  it.each<[string[], { parts?: string[]; body?: string; draft?: boolean; fill?: boolean }]>([
    [['1', '--body', 'x y'], { parts: ['1'], body: 'x y' }],
    [['--body=x', '1'], { parts: ['1'], body: 'x' }],
    [['-bx'], { body: 'x' }],
    [['-b', '-x'], { body: '-x' }],
    [['-db', 'x'], { draft: true, body: 'x' }],
    [['-df'], { draft: true, fill: true }],
    [['--draft=false'], { draft: false }],
    [['-R', 'me/app', '--body', ''], { body: '' }],
    [['--body', 'a', '--body', 'b'], { body: 'b' }],
    [['--', '--body'], { parts: ['--body'] }],
  ])('%j', (argv, expected) => {
    const args = parseFlags(argv, FLAGS)
    expect(args.positionals).toEqual(expected.parts ?? [])
    expect(args.value('body')).toBe(expected.body)
    expect([args.has('draft'), args.has('fill')]).toEqual([expected.draft ?? false, expected.fill ?? false])
  })

  it.each([
    [['--nope'], 'unknown flag: --nope'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['--body'], 'flag needs an argument: --body'],
  ])('%j: %s', (argv, message) => {
    expect(() => parseFlags(argv, FLAGS)).toThrow(message)
  })
})
