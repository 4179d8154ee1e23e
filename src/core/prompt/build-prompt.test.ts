import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildPrompt, type PromptParts } from './build-prompt.ts'
import { fenceUntrusted } from './fence-untrusted.ts'

const nothing: PromptParts = {
  projectName: 'My App',
  repo: null,
  defaultBranch: 'main',
  branch: 'feat/INT-1',
  issue: null,
  adHocIssue: null,
  rules: [],
  userPrompt: null,
}

describe('buildPrompt', () => {
  it('says nothing when there is nothing to say', () => {
    expect(buildPrompt(nothing)).toBeNull()
  })

  it('S2.13 S2.20 combines issue context, project rules and the user prompt, the user last', () => {
    const prompt = buildPrompt({
      ...nothing,
      issue: { id: 'INT-1', context: 'Login fails', origin: 'issue INT-1, written by ann' },
      rules: ['Use tabs.'],
      userPrompt: 'Add TypeScript types',
    })!
    const order = ['feat/INT-1', 'Login fails', 'Use tabs.', 'Add TypeScript types'].map((text) => prompt.indexOf(text))
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order).not.toContain(-1)
    expect(prompt).toContain('written by ann')
  })

  it('S2.12 names a free-text issue as the task', () => {
    expect(buildPrompt({ ...nothing, adHocIssue: 'make the tests faster' })).toContain('make the tests faster')
  })

  it('keeps the words of the user unchanged', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (words) => {
        fc.pre(words.trim() !== '' && !words.includes('\0'))
        expect(buildPrompt({ ...nothing, userPrompt: words })).toContain(words)
      }),
    )
  })
})

describe('fenceUntrusted', () => {
  it('cannot be closed by the text inside', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('~', '~~~', '\n', 'a', '~~~~~~')), (pieces) => {
        const text = pieces.join('')
        const lines = fenceUntrusted(text, 'a stranger').split('\n')
        const fence = lines.at(-1)!
        const inside = lines.slice(2, -1)
        expect(lines[1]).toBe(fence)
        expect(inside.some((line) => line.includes(fence))).toBe(false)
      }),
    )
  })
})
