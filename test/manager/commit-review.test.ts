// What a reviewer reports, against what git says; and what it may do besides.
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/ao/commands.ts'
import type { CommitReview } from '../../src/contract/pull.ts'
import type { Session } from '../../src/contract/session.ts'
import { refuseCommand } from '../../src/core/boundary/rights.ts'
import { MOST_FINDINGS } from '../../src/core/forge/judge-finding.ts'
import { callerAmong } from '../../src/inside/find-caller.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { ManagerContext } from '../../src/manager/context.ts'
import { addFinding, endReview, type OwnReview } from '../../src/manager/pulls/commit-review.ts'
import { readReview, readReviews, reviewsDirectory } from '../../src/store/reviews.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
let own: OwnReview
let dir: string

beforeEach(() => {
  temp = createTempHome()
  dir = join(temp.home, 'data')
  const repo = createRepo(join(temp.home, 'repo'), temp.env, { 'old.txt': 'one\n', 'gone.txt': 'x\n' })
  const from = git(repo, temp.env, 'rev-parse', 'HEAD')
  git(repo, temp.env, 'rm', '--quiet', 'gone.txt')
  writeFileSync(join(repo, 'new.txt'), 'one\ntwo\n')
  git(repo, temp.env, 'add', '--all')
  git(repo, temp.env, 'commit', '--quiet', '--message', 'change')
  const head = git(repo, temp.env, 'rev-parse', 'HEAD')
  const reviews = { session: 'app-1', pull: 'https://example.invalid/pull/1', number: 1, head, from, round: 1 }
  const metadata = { role: 'reviewer', agent: 'demo', reviews: JSON.stringify(reviews) }
  const context = {
    env: temp.env,
    clock: systemClock,
    paths: { project: () => ({ dir }) },
  } as unknown as ManagerContext
  const session = { id: 'app-2', projectId: 'app', createdAt: new Date(), metadata } as unknown as Session
  own = { context, session, project: { id: 'app', path: repo } as OwnReview['project'] }
})
afterEach(async () => expect(await temp.cleanup()).toEqual([]))

const add = (file: string | undefined, line?: string, text = 'Wrong') =>
  addFinding(own, { file, line, severity: 'major', text })

describe('what a reviewer reports', () => {
  it('is read once for all who ask, until there is more of it', async () => {
    await add('new.txt', '2')
    utimesSync(reviewsDirectory(dir), new Date(0), new Date(0))
    const before = readReviews(dir)
    expect(readReviews(dir)).toBe(before)
    await add('new.txt', '1')
    expect(readReviews(dir)[0]?.findings).toHaveLength(2)
  })

  it('is about files and lines of that commit, whatever it claims', async () => {
    await add('new.txt', '2')
    await add('gone.txt')
    await add(undefined)
    for (const [file, line] of [
      ['new.txt', '3'],
      ['gone.txt', '1'],
      ['none.txt', undefined],
      ['../repo/new.txt', undefined],
      ['/etc/passwd', undefined],
      ['--upload-pack=x', undefined],
    ])
      await expect(add(file, line)).rejects.toMatchObject({ code: 'USAGE' })
    expect(readReview(dir, 'app-2')?.findings.map(({ file, line }) => [file, line])).toEqual([
      ['new.txt', 2],
      ['gone.txt', null],
      [null, null],
    ])
  })

  it('is limited in number, is not doubled, and is over when it is over', async () => {
    await Promise.all([add(undefined, undefined, 'the same'), add(undefined, undefined, 'the same')])
    for (let n = 1; n < MOST_FINDINGS; n++) await add(undefined, undefined, `no ${n}`)
    await expect(add(undefined, undefined, 'one more')).rejects.toMatchObject({ code: 'STATE_REFUSED' })
    const review: CommitReview = await endReview(own, 'all\u0007 of it')
    expect(review).toMatchObject({ summary: 'all⟨U+0007⟩ of it', failed: null })
    expect(review.findings).toHaveLength(MOST_FINDINGS)
    await expect(add(undefined, undefined, 'later')).rejects.toMatchObject({ code: 'STATE_REFUSED' })
    await expect(endReview(own, 'again')).rejects.toMatchObject({ code: 'STATE_REFUSED' })
    expect(readReviews(dir)).toHaveLength(1)
  })
})

it('may read and report, and run nothing else', async () => {
  const caller = { kind: 'reviewer', sessionId: 'app-2', projectId: 'app', token: null } as const
  const allowed: string[] = []
  for (const entry of COMMANDS.filter(({ hidden }) => !hidden)) {
    const command = await entry.load()
    const session = 'app-2'
    if (refuseCommand(caller, { program: 'ao', command, session }) === null) allowed.push(entry.name)
  }
  expect(allowed.sort()).toEqual(
    [
      ...['completion', 'config schema', 'config show', 'config validate', 'issue ls', 'issue show', 'land ls'],
      'land why',
      ...['mcp', 'openapi', 'plugin ls', 'pr checks', 'pr diff', 'pr ls', 'pr view', 'version'],
      ...['review add', 'review done', 'review ls'],
    ].sort(),
  )
})

it('is what its outermost process is: neither a worker becomes a reviewer by its own word, nor the reverse', () => {
  const here = { env: { HOME: temp.home }, home: temp.home }
  const as = (session: string, type: string) => ({ HOME: temp.home, AO_SESSION: session, AO_CALLER_TYPE: type })
  expect(callerAmong(here, [as('app-2', 'reviewer'), as('app-1', 'agent')])).toMatchObject({
    kind: 'worker',
    sessionId: 'app-1',
  })
  expect(callerAmong(here, [as('app-1', 'agent'), as('app-2', 'reviewer')])).toMatchObject({
    kind: 'reviewer',
    sessionId: 'app-2',
  })
})
