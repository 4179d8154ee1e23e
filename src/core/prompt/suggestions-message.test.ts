import { describe, expect, it } from 'vitest'
import { firstMessageAgain } from './first-message-again.ts'
import { type HandoverParts, handoverNote } from './handover-note.ts'
import { reviewPrompt } from './review-prompt.ts'
import { appliedMessage, type SuggestedLines, suggestionsMessage } from './suggestions-message.ts'

const lines: SuggestedLines = { author: 'ann', path: 'a.ts', from: 3, to: 3, lines: ['const a = 1'] }

describe('suggestions', () => {
  it.each<[string, SuggestedLines[], RegExp]>([
    [
      'one line',
      [lines],
      /^Please apply this suggestion from the review of #7\.[\s\S]*\n\n1\. a\.ts, line 3, replace it with:\n[\s\S]*a suggestion by ann[\s\S]*const a = 1/,
    ],
    ['several lines', [{ ...lines, to: 5, lines: ['x', 'y'] }], /lines 3-5, replace them with:\n[\s\S]*x\ny/],
    ['nothing in place of a line', [{ ...lines, lines: [] }], /1\. a\.ts, line 3: remove it\.\n/],
    ['nothing in place of lines', [{ ...lines, to: 5, lines: [] }], /lines 3-5: remove them\.\n/],
    [
      'several places',
      [lines, { ...lines, path: 'b\n.ts' }],
      /^Please apply these suggestions[\s\S]*\n\n2\. b \.ts, line 3, replace/,
    ],
  ])('ask the agent for %s', (_what, suggestions, text) => {
    expect(suggestionsMessage(7, suggestions)).toMatch(text)
    expect(suggestionsMessage(7, suggestions)).toMatch(/\n\nCommit them as they are/)
  })

  it('that are in the branch already are told', () => {
    const text = appliedMessage({ number: 7, commit: '0123456789abc', files: ['a.ts', 'b.ts'] })
    expect(text).toMatch(/#7 to your branch as commit 0123456789: a\.ts, b\.ts\.\nYour checkout has it already/)
  })
})

describe('a reviewer', () => {
  const subject = { session: 's', pull: 'u', number: 7, head: 'HEAD1', from: 'BASE1', round: 1 } as never
  const pull = { title: 'Blue', body: 'It is blue', baseBranch: 'main', author: 'ken' }
  const prompt = (round = 1, rules?: string, more: Partial<typeof pull> | object = {}) =>
    reviewPrompt({ ...(subject as object), round } as never, { ...pull, ...more } as never, rules)

  it('reads what it looks at, whose words these are, and how it reports', () => {
    const text = prompt()
    expect(text).toMatch(
      /exactly one commit, HEAD1, the head of pull request #7 for main\.\nThis directory[^\n]*\nSee the change with: git diff BASE1 HEAD1\n\n/,
    )
    expect(text).toMatch(
      /What its author says about it:\n\n[\s\S]*its author, ken[\s\S]*Blue\n\nIt is blue[\s\S]*Look for what is wrong/,
    )
    expect(text).toMatch(
      /\n\n {4}ao review add --file[^\n]*\n\nSeverities[^\n]*\n\n {4}ao review done[^\n]*\n\nThe author gets/,
    )
    expect(text).not.toMatch(/reviewed before|Look for this|\0/)
  })

  it('reads of earlier rounds and of rules', () => {
    expect(prompt(2)).toContain('It was reviewed before')
    expect(prompt(1, ' No tabs. ')).toContain('## Look for this, too\n\nNo tabs.\n\n')
    expect(prompt(1, '  ')).not.toContain('Look for this')
    expect(prompt(1, undefined, { author: null })).toMatch(/its author(?!,)/)
  })

  it('reads a long description only as far as it goes', () => {
    const long = prompt(1, undefined, { body: 'x'.repeat(9_000) })
    expect(long.match(/x{100,}/)![0]).toHaveLength(6_000 - 'Blue\n\n'.length)
  })
})

it('a first message comes again as what it is', () => {
  expect(firstMessageAgain('Do it')).toMatch(
    /^Your conversation was resumed[\s\S]*\n[\s\S]*\n[\s\S]*say so\.\n\nDo it$/,
  )
})

describe('who takes a task over', () => {
  const nothing: HandoverParts = {
    why: 'its limit',
    task: null,
    branch: null,
    commits: [],
    uncommitted: '',
    messages: [],
    lastMessage: null,
  }
  const note = (parts: Partial<HandoverParts>) => handoverNote({ ...nothing, ...parts })

  it('reads what there is, and no more', () => {
    expect(note({})).toMatch(/coding agent: its limit\. You are in the same directory, and its work is here/)
    expect(note({})).toMatch(/No commits on this branch yet\.\nNothing is uncommitted\./)
    expect(note({})).not.toMatch(/# The task|# Later messages|# Its last words/)
    expect(note({ branch: 'feat/x' })).toContain('same directory, on the same branch (feat/x), and')
    expect(note({ task: 'Do\0 it' })).toContain('\n\n# The task\n\nDo it\n\n')
    expect(note({ lastMessage: 'Bye' })).toMatch(/# Its last words\n\n[\s\S]*the agent before you[\s\S]*Bye/)
  })

  it('reads the newest commits, and as many files', () => {
    const many = Array.from({ length: 53 }, (_, index) => `c${index}.`)
    const text = note({ commits: many, uncommitted: many.map((name) => ` M ${name}`).join('\n\n') })
    expect(text).toMatch(/Commits: 53, the newest last\.\n\(3 earlier ones\)\nc3\.\n/)
    expect(text).toMatch(/Uncommitted files: 53\.\n M c0\./)
    expect(text).toContain(' M c49.')
    expect(text).not.toContain(' M c50.')
    expect(note({ commits: many.slice(0, 50) })).not.toContain('earlier ones')
    expect(note({ commits: ['x'.repeat(301)] })).toMatch(/\nx{300}\n/)
  })

  it('reads the last messages, and of long ones the beginning', () => {
    const messages = Array.from({ length: 12 }, (_, index) => ({ source: 'user', text: `m${index}.` }))
    const text = note({ messages })
    expect(text).toContain(
      '# Later messages, the oldest first\n\n(2 earlier ones are left out)\n\nFrom user:\n\nm2.\n\nFrom user:\n\nm3.',
    )
    expect(note({ messages: messages.slice(0, 10) })).not.toContain('left out')
    expect(note({ messages: [{ source: 'user', text: 'x'.repeat(8_002) }] })).toMatch(
      /\n\nx{8000}\n\[… 2 more characters\]/,
    )
    expect(note({ task: 'x'.repeat(100_001) })).toContain('[… 1 more characters]')
    expect(note({ task: 'x'.repeat(100_000) })).not.toContain('more characters')
    expect(note({ lastMessage: `a${'x'.repeat(8_000)}` })).toMatch(/\[…\] x{8000}\n/)
  })
})
