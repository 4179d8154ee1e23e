import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearestWord } from './nearest-word.ts'

const KEYS = ['name', 'path', 'repo', 'defaultBranch', 'sessionPrefix', 'agent', 'agentConfig', 'agentRules']

describe('nearestWord', () => {
  it.each([
    ['defualtBranch', 'defaultBranch'],
    ['defaultbranch', 'defaultBranch'],
    ['sesionPrefix', 'sessionPrefix'],
    ['pth', 'path'],
    ['agents', 'agent'],
    ['agentRule', 'agentRules'],
    ['nmae', 'name'],
    ['default', 'defaultBranch'],
    ['sess', 'sessionPrefix'],
    ['banana', null],
    ['', null],
    ['x', null],
    ['defaultBranch'.repeat(9), null],
  ])('%s -> %s', (word, meant) => {
    expect(nearestWord(word, KEYS)).toBe(meant)
  })

  it('finds a word after one slip of the finger, whichever it is', () => {
    const slips = fc.record({ at: fc.nat(8), kind: fc.constantFrom('drop', 'double', 'swap', 'replace') })
    fc.assert(
      fc.property(slips, ({ at, kind }) => {
        const word = 'agentRules'
        const typed =
          kind === 'drop'
            ? word.slice(0, at) + word.slice(at + 1)
            : kind === 'double'
              ? word.slice(0, at) + word[at] + word.slice(at)
              : kind === 'swap'
                ? word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2)
                : `${word.slice(0, at)}#${word.slice(at + 1)}`
        expect(nearestWord(typed, KEYS)).toBe(word)
      }),
    )
  })
})
