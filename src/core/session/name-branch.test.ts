import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  branchForIssue,
  branchForSession,
  isIssueReference,
  isSafeBranch,
  resolveBranch,
  sanitizeForBranch,
} from './name-branch.ts'

function gitAccepts(name: string): boolean {
  return spawnSync('git', ['check-ref-format', '--branch', name], { stdio: 'ignore' }).status === 0
}

describe('branchForIssue', () => {
  it.each([
    ['INT-1234', 'feat/INT-1234'],
    ['ISSUE-42', 'feat/ISSUE-42'],
    ['#42', 'feat/42'],
    ['owner/repo#42', 'feat/owner-repo-42'],
    ['  Fix the login bug!  ', 'feat/fix-the-login-bug'],
    ['v1.2.3', 'feat/v1.2.3'],
    ['release.lock', 'feat/release-lock'],
    ['a..b', 'feat/a-b'],
    ['-rf', 'feat/rf'],
    ['@{u}', 'feat/u'],
    ['Grüße aus Köln', 'feat/grüße-aus-köln'],
    ['修正 42', 'feat/修正-42'],
    ['!!!', 'feat/issue'],
    ['', 'feat/issue'],
    ['$(touch x); `id`', 'feat/touch-x-id'],
  ])('S2.31 S2.32 names %j as %s', (issue, branch) => {
    expect(branchForIssue(issue)).toBe(branch)
    expect(gitAccepts(branch)).toBe(true)
  })

  it('S2.32 yields a name that git accepts, whatever the text is', () => {
    const wild = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), nastyText())
    fc.assert(
      fc.property(wild, (text) => {
        const branch = branchForIssue(text)
        expect(isSafeBranch(branch)).toBe(true)
        expect(gitAccepts(branch)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('S2.32 keeps a very long text within one file name', () => {
    const branch = branchForIssue('𝔘'.repeat(500))
    expect(Buffer.byteLength(branch)).toBeLessThan(250)
    expect(gitAccepts(branch)).toBe(true)
  })
})

describe('isSafeBranch', () => {
  it('accepts only what git accepts', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), nastyText()), (name) => {
        if (isSafeBranch(name)) expect(gitAccepts(name)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it.each(['main', 'feat/INT-1', 'a/b/c', 'user@host', 'ü', "it's", 'a"b', 'x$y', 'feat/HEAD'])(
    'accepts %s',
    (name) => {
      expect(isSafeBranch(name)).toBe(true)
    },
  )

  it.each([
    ['', 'empty'],
    ['-x', 'an option'],
    ['@', 'HEAD in short'],
    ['HEAD', 'HEAD itself'],
    ['a b', 'a space'],
    ['a\nb', 'a newline'],
    ['a\0b', 'a NUL'],
    ['a..b', 'a range'],
    ['a@{1}', 'a reflog entry'],
    ['a//b', 'an empty component'],
    ['/a', 'a leading slash'],
    ['a/', 'a trailing slash'],
    ['.a', 'a hidden component'],
    ['a/.b', 'a hidden component below'],
    ['a.lock/b', 'a lock file'],
    ['a.', 'a trailing dot'],
    ['refs/heads/a', 'a full ref'],
    ['0123456789012345678901234567890123456789', 'an object id'],
    ['a\ud800', 'half a character'],
    ['x'.repeat(241), 'too long for a file name'],
  ])('refuses %j: %s', (name) => {
    expect(isSafeBranch(name)).toBe(false)
  })
})

describe('resolveBranch', () => {
  const sessionId = 'app-7'

  it('S2.29 lets an explicit branch win over everything', () => {
    const branch = resolveBranch({ explicit: 'mine', issueId: 'INT-1', trackerBranch: 'theirs', sessionId })
    expect(branch).toBe('mine')
  })

  it('S2.29 refuses an explicit name that git would refuse instead of changing it', () => {
    expect(() => resolveBranch({ explicit: 'a b', sessionId })).toThrow('"a b" is not a usable branch name')
  })

  it("S2.30 uses the tracker's name for an issue", () => {
    expect(resolveBranch({ issueId: 'INT-1', trackerBranch: 'ann/int-1-login', sessionId })).toBe('ann/int-1-login')
  })

  it("S2.30 falls back to its own name when the tracker's is not a branch name", () => {
    expect(resolveBranch({ issueId: 'INT-1', trackerBranch: '--force', sessionId })).toBe('feat/INT-1')
  })

  it('S2.31 uses feat/{issue} without a tracker', () => {
    expect(resolveBranch({ issueId: 'INT-1234', sessionId })).toBe('feat/INT-1234')
  })

  it('S2.32 uses the session id when the issue text holds nothing usable', () => {
    expect(resolveBranch({ issueId: '???', sessionId })).toBe('feat/app-7')
  })

  it('S2.33 uses session/{id} without branch and issue', () => {
    expect(resolveBranch({ sessionId })).toBe('session/app-7')
    expect(branchForSession('app-7')).toBe('session/app-7')
  })
})

it('sanitizing is stable: a name that went through once stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const once = sanitizeForBranch(text)
      expect(sanitizeForBranch(once)).toBe(once)
    }),
  )
})

function nastyText(): fc.Arbitrary<string> {
  const pieces = [
    '.',
    '..',
    '/',
    '//',
    '.lock',
    '@{',
    '@',
    '-',
    ' ',
    '~',
    '^',
    ':',
    '?',
    '*',
    '[',
    '\\',
    '\n',
    'HEAD',
    'a',
    '#4',
    'é',
  ]
  return fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(''))
}

describe('what names an issue', () => {
  it.each(['99', '#99', 'ABC-7', 'acme/app#7', 'https://git.example/acme/app/issues/7', ' #4 '])('%j does', (text) => {
    expect(isIssueReference(text)).toBe(true)
  })

  it.each(['fix the login', 'see https://git.example/x', 'login', 'issue 7', 'c#', 'fix-login'])(
    '%j does not',
    (text) => {
      expect(isIssueReference(text)).toBe(false)
    },
  )
})
