import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { FileChange } from '../../contract/dashboard/radar.ts'
import { buildMeeting } from './build-meetings.ts'
import { readChangedLines } from './changed-lines.ts'
import { readConflictHunks } from './conflict-hunks.ts'
import { findCandidates, type TouchedFiles } from './find-candidates.ts'
import { liveBranches } from './live-branches.ts'

const files = (touched: Record<string, FileChange>): TouchedFiles =>
  new Map(Object.entries(touched).map(([path, change]) => [path, { change, from: 'blob' }]))

describe('which pairs are tried', () => {
  it.each<[string, Record<string, FileChange>, Record<string, FileChange>, string[] | null]>([
    ['different files', { 'a.ts': 'modified' }, { 'b.ts': 'modified' }, null],
    ['the same file', { 'a.ts': 'modified', x: 'added' }, { 'a.ts': 'deleted' }, ['a.ts']],
    ['a file where the other has a directory', { lib: 'added' }, { 'lib/a.ts': 'added' }, []],
    ['a file added to a directory that the other moved', { 'old/a.ts': 'deleted' }, { 'old/new.ts': 'added' }, []],
    ['a new file beside a changed one', { 'src/a.ts': 'modified' }, { 'src/new.ts': 'added' }, null],
  ])('%s', (_what, a, b, shared) => {
    const found = findCandidates([
      { id: 'web-2', files: files(a) },
      { id: 'web-1', files: files(b) },
    ])
    expect(found).toEqual(shared === null ? [] : [{ a: 'web-2', b: 'web-1', shared }])
  })
})

describe('the sides of a conflict', () => {
  it('are read from git’s markers, and other lines of equal signs do not end them', () => {
    const text =
      'one\n<<<<<<< aaa\nmine\n==========\n=======\ntheirs\n>>>>>>> bbb\nlast\n<<<<<<< aaa\n=======\nx\n>>>>>>> bbb\n'
    expect(readConflictHunks(text)).toEqual([
      { a: 'mine\n==========', b: 'theirs' },
      { a: '', b: 'x' },
    ])
  })

  it('are absent from a file without markers or with half of one', () => {
    expect(readConflictHunks('a\nb\n')).toEqual([])
    expect(readConflictHunks('<<<<<<< aaa\nmine\n')).toEqual([])
  })
})

describe('changed lines', () => {
  it('are those of the file before the change; an insertion is at the line before it', () => {
    const patch = [
      'diff --git a/src/a b.ts b/src/a b.ts',
      'index 1..2 100644',
      '--- a/src/a b.ts\t',
      '+++ b/src/a b.ts\t',
      '@@ -3,2 +3 @@ function x',
      '--- not a header',
      '-two',
      '+@@ -9 +9 @@ not a hunk either',
      '@@ -10,0 +10,4 @@',
      '+new',
      'diff --git a/gone.ts b/gone.ts',
      '--- a/gone.ts',
      '+++ /dev/null',
      '@@ -1,5 +0,0 @@',
    ].join('\n')
    expect([...readChangedLines(patch)]).toEqual([
      [
        'src/a b.ts',
        [
          [3, 4],
          [10, 10],
        ],
      ],
      ['gone.ts', [[1, 5]]],
    ])
  })
})

describe('a meeting', () => {
  const branch = (id: string, touched: Record<string, FileChange>, conflictsWithBase: string[] = []) => ({
    id,
    files: files(touched),
    conflictsWithBase,
    lines: new Map(),
  })
  const merge = (...paths: string[]) => ({ conflicts: new Map(paths.map((path) => [path, [{ a: '1', b: '2' }]])) })
  const both = [
    branch('web-1', { 'a.ts': 'modified', 'c.ts': 'modified' }),
    branch('web-3', { 'a.ts': 'modified', 'c.ts': 'modified' }),
  ] as const

  it('is a conflict where git cannot merge, clean where it can, and unknown before it was tried', () => {
    const shared = ['a.ts', 'c.ts']
    expect(buildMeeting({ shared }, both, merge('c.ts'))?.kind).toBe('conflict')
    expect(buildMeeting({ shared }, both, merge())?.kind).toBe('clean')
    expect(buildMeeting({ shared }, both, null)?.kind).toBe('unknown')
    // What the train solves by its rules is nobody's to hear of.
    const solved = (...paths: string[]) => ({ ...merge('a.ts', 'c.ts'), solved: new Set(paths) })
    const meetings = [solved('a.ts', 'c.ts'), solved('a.ts')].map((one) => buildMeeting({ shared }, both, one))
    expect(meetings.map((one) => one?.kind)).toEqual(['solved', 'conflict'])
    expect(meetings[1]?.files).toMatchObject([
      { path: 'c.ts', conflict: true, solved: false },
      { path: 'a.ts', conflict: false, solved: true, hunks: [] },
    ])
  })

  it('names the conflicting file first', () => {
    const meeting = buildMeeting({ shared: ['a.ts', 'c.ts'] }, both, merge('c.ts'))!
    expect(meeting.files.map(({ path, conflict }) => [path, conflict])).toEqual([
      ['c.ts', true],
      ['a.ts', false],
    ])
  })

  it('leaves a conflict that one of them has with the base branch to that branch', () => {
    const behind = [branch('web-1', { 'old.ts': 'modified' }, ['old.ts']), branch('web-3', { x: 'added' })] as const
    expect(buildMeeting({ shared: [] }, behind, merge('old.ts'))).toBeNull()
  })

  it('keeps its fingerprint while only the rest of a branch changes', () => {
    const grown = [
      branch('web-1', { 'a.ts': 'modified', z: 'added' }),
      branch('web-3', { 'a.ts': 'modified' }),
    ] as const
    const print = (pair: Parameters<typeof buildMeeting>[1], tried: ReturnType<typeof merge>) =>
      buildMeeting({ shared: ['a.ts'] }, pair, tried)?.fingerprint
    expect(print(grown, merge('a.ts'))).toBe(print(both, merge('a.ts')))
    expect(print(both, merge())).not.toBe(print(both, merge('a.ts')))
  })

  it('that is a conflict keeps it while other files that they share change, and one that is clean does not', () => {
    const removed = both.map((one) => ({ ...one, files: files({ 'a.ts': 'modified', 'c.ts': 'deleted' }) }))
    const print = (pair: readonly (typeof both)[number][], tried: ReturnType<typeof merge>) =>
      buildMeeting({ shared: ['a.ts', 'c.ts'] }, [pair[0]!, pair[1]!], tried)?.fingerprint
    expect(print(removed, merge('a.ts'))).toBe(print(both, merge('a.ts')))
    expect(print(removed, merge())).not.toBe(print(both, merge()))
    expect(print(both, merge())).toMatch(/^clean [0-9a-f]{16}$/)
  })
})

it('does not compare tries of one task with each other, nor work with what it stands on', () => {
  const task = (kind: string, index: number) =>
    JSON.stringify({ id: kind === 'best' ? 't0123abcd' : 't76543210', kind, index, of: 2 })
  const on = (id: string) => JSON.stringify({ on: id })
  const session = (id: string, metadata: Record<string, string>) => sampleSession({ id, branch: id, metadata })
  const branches = liveBranches(
    [
      session('app-1', { task: task('best', 1) }),
      session('app-2', { task: task('best', 2), stack: on('app-3') }),
      session('app-3', { stack: on('app-4') }),
      session('app-4', {}),
      session('app-5', { task: task('group', 1), stack: on('app-5') }),
    ],
    [],
    0,
  )
  expect(branches.map(({ id, apart }) => [id, apart])).toEqual([
    ['app-1', ['app-2']],
    ['app-2', ['app-3', 'app-4', 'app-1']],
    ['app-3', ['app-4']],
    ['app-4', []],
    ['app-5', ['app-5']],
  ])
})
