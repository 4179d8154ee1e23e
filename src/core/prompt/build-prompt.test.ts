import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANY_FORGE } from '../../contract/forges.ts'
import { buildPrompt, type PromptParts } from './build-prompt.ts'
import { fenceUntrusted } from './fence-untrusted.ts'
import { type OrchestratorPromptParts, orchestratorPrompt } from './orchestrator-prompt.ts'

const nothing: PromptParts = {
  projectName: 'My App',
  repo: null,
  defaultBranch: 'main',
  branch: 'feat/INT-1',
  handIn: ANY_FORGE,
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
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (wording) => {
        fc.pre(wording.trim() !== '' && !wording.includes('\0'))
        expect(buildPrompt({ ...nothing, userPrompt: wording })).toContain(wording)
      }),
    )
  })
})

describe('every combination of issue, prompt and rules', () => {
  const issue = { id: 'INT-1', context: 'Login fails', origin: 'issue INT-1' }
  const tasks = [
    ['no issue', {}, null],
    ['an issue', { issue }, 'Issue INT-1: Login fails'],
    ['a free-text issue', { adHocIssue: 'faster tests' }, 'Task: faster tests'],
  ] as const
  const table = tasks.flatMap(([what, given, task]) =>
    [null, 'Add types'].flatMap((userPrompt) =>
      [[], ['Use tabs.']].map((rules) => {
        const expected = [
          ...(task ? [task] : userPrompt ? ['Task: Add types'] : []),
          ...(rules.length > 0 ? ['Project rules: Use tabs.'] : []),
          ...(task && userPrompt ? ['Additional instructions: Add types'] : []),
        ]
        const name = `${what}, ${userPrompt ? 'a' : 'no'} prompt, ${rules.length > 0 ? '' : 'no '}rules`
        return { name, parts: { ...nothing, ...given, userPrompt, rules }, expected }
      }),
    ),
  )

  /** Each heading with the last non-empty line under it. */
  const sections = (prompt: string | null) =>
    (prompt ?? '')
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [heading, ...lines] = section.split('\n')
        const last = lines.findLast((line) => /\w/.test(line)) ?? ''
        return `${heading}: ${last.replace(/^Work on: /, '')}`
      })

  it.each(table)('S2.20 $name: each part has its own heading', ({ parts, expected }) => {
    expect(sections(buildPrompt(parts))).toEqual(expected)
  })

  it('S2.20 an orchestrator has its own rules, never those of the agents, and no task', () => {
    for (const orchestratorRules of [undefined, 'At most five.']) {
      const project = { id: 'app', name: 'App', path: '/app', defaultBranch: 'main', agentRules: 'Use tabs.' }
      const parts = { project: { ...project, orchestratorRules }, config: { projects: {} } }
      const prompt = orchestratorPrompt(parts as unknown as OrchestratorPromptParts)
      const headings = sections(prompt).map((section) => section.split(':')[0])
      expect(headings.includes('Rules of this project')).toBe(orchestratorRules !== undefined)
      expect(headings).not.toContain('Task')
      expect(prompt).not.toContain('Use tabs.')
    }
  })
})

describe('fenceUntrusted', () => {
  it('cannot be closed by the text inside', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('~', '~~~', '\n', 'a', '~~~~~~', '\u001b[31m', '\r', '\u200b')),
        (pieces) => {
          const text = pieces.join('')
          const lines = fenceUntrusted(text, 'a stranger').split('\n')
          const fence = lines.at(-1)!
          const inside = lines.slice(2, -1)
          expect(lines[1]).toBe(fence)
          expect(inside.some((line) => line.includes(fence))).toBe(false)
        },
      ),
    )
  })

  it('T11 hides nothing from the reader of the prompt: control, bidirectional and invisible characters become visible', () => {
    const text = 'a\u001b]52;c;eA==\u0007b\u202ec\u200bd\u009b2J\u{e0041}\ttab\r\nnext \u001b[31mred\u001b[0m'
    const fenced = fenceUntrusted(text, 'issue \u001b[2J7\u202e')
    expect(fenced).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(fenced).toContain('a\\u001b]52;c;eA==\\u0007b\\u202ec\\u200bd\\u009b2J\\udb40\\udc41\ttab\nnext red')
    expect(fenced).toContain('issue \\u001b[2J7\\u202e.')
  })
})
