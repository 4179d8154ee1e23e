import { describe, expect, it } from 'vitest'
import { samplePull } from '../../../test/support/sample-pull.ts'
import { sampleSession } from '../../../test/support/sample-session.ts'
import type { Meeting } from '../../contract/dashboard/radar.ts'
import type { Session } from '../../contract/session.ts'
import { liveBranches } from './live-branches.ts'
import { meetingMarks } from './meeting-marks.ts'

const NOW = 95_000
const session = (id: string, more: Partial<Session> = {}) =>
  sampleSession({ id, branch: `b-${id}`, metadata: {}, ...more })
const live = (...sessions: Session[]) => liveBranches(sessions, [], NOW)

describe('live branches', () => {
  it.each<[string, Partial<Session>, boolean]>([
    ['works', {}, true],
    ['has no branch', { branch: null }, false],
    ['coordinates', { id: 'app-orchestrator' }, false],
    ['is being started', { metadata: { operation: 'spawn' } }, false],
    ['is being ended', { metadata: { operation: 'kill' } }, true],
    ['has ended', { status: 'killed' }, false],
    ['has ended with an open pull request', { status: 'killed', metadata: { prState: 'open' } }, true],
    ['was merged', { status: 'merged', metadata: { prState: 'open' } }, false],
  ])('are those of sessions: one that %s', (_which, more, expected) => {
    expect(live(session('app-1', more))).toHaveLength(expected ? 1 : 0)
  })

  it('say what they are about, and whether they can be merged', () => {
    const [one] = live(
      session('app-1', {
        status: 'mergeable',
        pr: { url: 'https://x/o/r/pull/7' },
        metadata: { issueTitle: 'x'.repeat(300) },
      }),
    )
    expect(one).toMatchObject({
      id: 'app-1',
      sessionId: 'app-1',
      branch: 'b-app-1',
      pull: 7,
      ready: true,
      title: 'x'.repeat(200),
    })
    expect(live(session('app-1'))).toMatchObject([{ title: 'app-1', ready: false, pull: null }])
    expect(live(session('app-1', { metadata: { userPrompt: 'Do it' } }))).toMatchObject([{ title: 'Do it' }])
  })

  it.each<[string, Partial<Session>, number]>([
    ['now, while it is active', { activity: 'active' }, 90_000],
    ['now, when nobody knows', { activity: null }, 90_000],
    ['when it last was', { activity: 'idle' }, 7],
    ['when its record says so', { activity: null, metadata: { activity: 'idle' } }, 7],
    ['when it ended', { activity: 'active', status: 'killed', metadata: { prState: 'open' } }, 7],
    ['never, without a date', { activity: 'idle', lastActivityAt: new Date('never') }, 0],
  ])('were worked on %s', (_when, more, activeAt) => {
    expect(live(session('app-1', { lastActivityAt: new Date(7), ...more }))).toMatchObject([{ activeAt }])
  })

  it('share files on purpose with what they stand on and with other tries', () => {
    const on = (id: string, below: string) => session(id, { metadata: { stack: JSON.stringify({ on: below }) } })
    const best = (id: string, task: string, kind = 'best') =>
      session(id, { metadata: { task: JSON.stringify({ id: task, kind, index: 1, of: 2 }) } })
    const apart = (...sessions: Session[]) => live(...sessions).map((one) => one.apart)
    expect(apart(on('a', 'b'), on('b', 'c'), session('c'))).toEqual([['b', 'c'], ['c'], []])
    expect(apart(on('a', 'b'), on('b', 'a'))).toEqual([
      ['b', 'a'],
      ['a', 'b'],
    ])
    expect(apart(best('a', 't0123abcd'), best('b', 't0123abcd'), best('c', 't9999abcd'))).toEqual([['b'], ['a'], []])
    expect(apart(best('a', 't0123abcd', 'group'), best('b', 't0123abcd', 'group'))).toEqual([[], []])
  })

  it('of many sessions are found without comparing each with all others', () => {
    let reads = 0
    const sessions = Array.from({ length: 500 }, (_, n) => {
      const { metadata, ...rest } = session(`app-${n}`, { metadata: { stack: `{"on":"app-${n - 1}"}` } })
      return Object.defineProperty({ ...rest, metadata }, 'metadata', {
        get() {
          reads++
          return n % 50 === 0 ? {} : metadata
        },
      })
    })
    expect(live(...sessions)[49]!.apart).toHaveLength(49)
    expect(reads).toBeLessThan(100 * sessions.length)
  })

  it('are those of pull requests that no session works on', () => {
    const pull = (more: Parameters<typeof samplePull>[0]) =>
      liveBranches([session('app-1')], [samplePull(more)], NOW)[1]
    expect(pull({ pr: { branch: 'b-app-1' } })).toBeUndefined()
    expect(pull({ pr: { branch: 'other', title: 'x'.repeat(300) } })).toEqual({
      ...{
        id: '#7',
        sessionId: null,
        branch: 'other',
        title: 'x'.repeat(200),
        pull: 7,
        ready: true,
        directory: null,
        activeAt: 0,
      },
    })
    const isReady = (more: Parameters<typeof samplePull>[0]) => pull(more)!.ready
    expect([
      isReady({ ci: 'none' }),
      isReady({ ci: 'failing' }),
      isReady({ review: 'pending' }),
      isReady({ pr: { isDraft: true } }),
    ]).toEqual([true, false, false, false])
    expect(pull({})).toMatchObject({ branch: '', title: '' })
  })
})

it('cards say whom a session meets, and where first', () => {
  const meeting = (a: string, b: string, kind: string, ...paths: string[]) =>
    ({ a, b, kind, files: paths.map((path) => ({ path })), more: 1 }) as unknown as Meeting
  const marks = meetingMarks({
    meetings: [
      meeting('a', 'b', 'conflict', 'x.ts', 'y.ts'),
      meeting('c', 'a', 'overlap', 'z'.repeat(300)),
      meeting('a', 'd', 'overlap'),
      meeting('a', 'e', 'overlap'),
    ],
  })
  expect(marks.get('a')).toEqual([
    { with: 'b', path: 'x.ts', files: 3, conflict: true },
    { with: 'c', path: 'z'.repeat(200), files: 2, conflict: false },
    { with: 'd', path: '', files: 1, conflict: false },
  ])
  expect(marks.get('b')).toEqual([{ with: 'a', path: 'x.ts', files: 3, conflict: true }])
  expect(marks.get('e')).toHaveLength(1)
  expect(marks.has('f')).toBe(false)
  const heads: [string, string] = ['1', '2']
  const red = [{ a: 'a', b: 'd', heads, commit: 'c', check: 'test', test: 'adds', log: '' }]
  const both = meetingMarks({ meetings: [meeting('a', 'd', 'clean', 'x.ts')], red })
  expect(both.get('d')).toEqual([{ with: 'a', path: '', files: 0, conflict: false, fails: 'adds' }])
})
