// The radar on a real repository: worktrees with uncommitted work, and nothing of the user's touched.
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ResolveEntry } from '../../src/core/landing/resolve/rules.ts'
import type { LiveBranch } from '../../src/core/radar/live-branches.ts'
import { openRepository } from '../../src/git/repository.ts'
import { createRadar, type Radar } from '../../src/landing/radar/radar.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

const TEXT = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`)
const withLine = (line: number, text: string) => TEXT.with(line - 1, `${text}\n`).join('')

describe('the radar', () => {
  let temp: TempHome
  let repo: string
  let radar: Radar
  let calls: string
  beforeEach(() => {
    temp = createTempHome()
    repo = createRepo(join(temp.home, 'repo'), temp.env, { 'src/cart.ts': TEXT.join(''), 'src/api.ts': TEXT.join('') })
    calls = join(temp.home, 'calls')
    radar = open(temp.env)
  })
  afterEach(async () => {
    radar.close()
    expect(await temp.cleanup()).toEqual([])
  })

  const open = (env: NodeJS.ProcessEnv, rules: ResolveEntry[] = []) =>
    createRadar({
      rules,
      projectId: 'web',
      projectDir: join(temp.home, 'data'),
      baseBranch: 'main',
      baseRefs: ['refs/heads/main'],
      repository: () => openRepository(repo, env),
    })

  /** git that also counts its calls. */
  const countingEnv = (version?: string) => {
    const bin = join(temp.home, 'bin')
    mkdirSync(bin, { recursive: true })
    const real = git(repo, temp.env, '--exec-path')
    const answer = version === undefined ? '' : `case "$*" in *--version) echo "git version ${version}"; exit;; esac\n`
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >>'${calls}'\n${answer}exec '${real}/git' "$@"\n`)
    chmodSync(join(bin, 'git'), 0o755)
    return { ...temp.env, PATH: `${bin}:${temp.env.PATH}` }
  }
  const countCalls = () => readFileSync(calls, 'utf8').split('\n').length - 1

  const worktree = (id: string, files: Record<string, string>, commit = true): LiveBranch => {
    const directory = join(temp.home, id)
    git(repo, temp.env, 'worktree', 'add', '--quiet', '-b', `feat/${id}`, directory, 'main')
    for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text)
    if (commit) commitAll(directory)
    return { id, sessionId: id, branch: `feat/${id}`, title: id, pull: null, ready: true, directory, activeAt: 1 }
  }
  const commitAll = (directory: string) => {
    git(directory, temp.env, 'add', '--all')
    git(directory, temp.env, 'commit', '--quiet', '--message', 'work')
  }

  it('shows conflicts that the train solves by its rules as solved, and only these', async () => {
    radar.close()
    radar = open(temp.env, [{ kind: 'union', paths: ['src/api.ts'] }, { kind: 'lockfiles' }])
    const added = (line: string) => `${TEXT.join('')}${line}\n`
    const branches = [
      worktree('web-1', { 'src/api.ts': added('one'), 'go.sum': 'one\n' }),
      worktree('web-2', { 'src/api.ts': added('two'), 'go.sum': 'two\n' }, false),
      worktree('web-3', { 'src/api.ts': withLine(30, 'changed') }),
    ]
    const { meetings, ready } = await radar.observe({ branches })
    expect(meetings.map(({ a, b, kind }) => [a, b, kind])).toEqual([
      ['web-1', 'web-3', 'conflict'],
      ['web-2', 'web-3', 'conflict'],
      ['web-1', 'web-2', 'solved'],
    ])
    expect(meetings[2]!.files.map(({ path, conflict, solved }) => [path, conflict, solved])).toEqual([
      ['go.sum', false, true],
      ['src/api.ts', false, true],
    ])
    expect(ready).toMatchObject({ left: [{ id: 'web-3' }] })
  })

  it('shows conflicts with both sides and their lines, uncommitted work included, and touches nothing', async () => {
    const one = worktree('web-1', { 'src/cart.ts': withLine(10, 'one') })
    const two = worktree('web-2', { 'src/cart.ts': withLine(10, 'two'), 'new.ts': 'new\n' }, false)
    const three = worktree('web-3', { 'src/cart.ts': withLine(25, 'three') })
    writeFileSync(join(two.directory!, 'huge.bin'), Buffer.alloc(2 * 1024 * 1024))
    const state = () =>
      [repo, two.directory!].map((path) => [
        git(path, temp.env, 'for-each-ref'),
        git(path, temp.env, 'status', '--porcelain'),
        git(repo, temp.env, 'count-objects', '-v'),
      ])
    const index = join(repo, '.git/worktrees/web-2/index')
    const before = [state(), readFileSync(index)]
    const picture = await radar.observe({ branches: [one, two, three] })
    expect([state(), readFileSync(index)]).toEqual(before)

    const meetings = Object.fromEntries(picture.meetings.map((meeting) => [`${meeting.a} ${meeting.b}`, meeting]))
    expect(Object.entries(meetings).map(([pair, { kind }]) => [pair, kind])).toEqual([
      ['web-1 web-2', 'conflict'],
      ['web-1 web-3', 'clean'],
      ['web-2 web-3', 'clean'],
    ])
    expect(meetings['web-1 web-2']!.files).toEqual([
      {
        path: 'src/cart.ts',
        conflict: true,
        solved: false,
        a: { change: 'modified', lines: [[10, 10]] },
        b: { change: 'modified', lines: [[10, 10]] },
        hunks: [{ a: 'one', b: 'two' }],
      },
    ])
    expect(meetings['web-1 web-3']!.files[0]!.b.lines).toEqual([[25, 25]])
    const seen = picture.branches.map(({ id, commits, files, uncommitted, problem }) => [
      id,
      commits,
      files,
      uncommitted,
      problem,
    ])
    expect(seen).toEqual([
      ['web-1', 1, 1, 0, null],
      ['web-2', 0, 2, 2, '1 large uncommitted file is left out'],
      ['web-3', 1, 1, 0, null],
    ])
    // What is ready is merged as it was committed.
    expect(picture.ready).toMatchObject({ merged: ['web-1', 'web-2', 'web-3'], left: [] })
  })

  it('tells what is ready and what of it does not fit, and which branch is behind a base it conflicts with', async () => {
    const one = worktree('web-1', { 'src/cart.ts': withLine(10, 'one') })
    const two = worktree('web-2', { 'src/cart.ts': withLine(10, 'two') })
    const three = worktree('web-3', { 'src/api.ts': withLine(3, 'three') })
    writeFileSync(join(repo, 'src/api.ts'), withLine(3, 'main'))
    commitAll(repo)
    const { ready, branches, meetings } = await radar.observe({ branches: [one, two, three] })
    expect(ready).toMatchObject({
      merged: ['web-1'],
      left: [
        { id: 'web-2', files: ['src/cart.ts'] },
        { id: 'web-3', files: ['src/api.ts'] },
      ],
    })
    expect(branches.map(({ conflictsWithBase }) => conflictsWithBase)).toEqual([[], [], ['src/api.ts']])
    expect(meetings.map(({ a, b }) => `${a} ${b}`)).toEqual(['web-1 web-2'])
  })

  it('starts no process while nothing changes, and only a few for one moved head', async () => {
    radar.close()
    radar = open(countingEnv())
    const live = [1, 2, 3, 4, 5, 6].map((n) => ({
      ...worktree(`web-${n}`, { 'src/cart.ts': withLine(n * 4, `${n}`) }),
      ready: false,
    }))
    const first = await radar.observe({ branches: live })
    const atRest = countCalls()
    expect(await radar.observe({ branches: live })).toBe(first)
    expect(countCalls()).toBe(atRest)
    writeFileSync(join(live[0]!.directory!, 'src/cart.ts'), withLine(8, 'again'))
    commitAll(live[0]!.directory!)
    const before = countCalls()
    const moved = await radar.observe({ branches: live })
    expect(moved.meetings.filter(({ kind }) => kind === 'conflict').map(({ a, b }) => `${a} ${b}`)).toEqual([
      'web-1 web-2',
    ])
    // Its files and lines, its merges, and what both sides of the conflict wrote.
    expect(countCalls() - before).toBeLessThanOrEqual(5)
    // However a head moves, the picture is the one that a new radar would draw.
    const [one, two, three] = live.map(({ directory }) => directory!)
    const moves = [
      () => writeFileSync(join(one!, 'src/api.ts'), withLine(3, 'one')),
      () => writeFileSync(join(two!, 'src/api.ts'), withLine(3, 'two')),
      () => git(three!, temp.env, 'commit', '--quiet', '--amend', '--message', 'another'),
      () => writeFileSync(join(one!, 'src/odd "name\t.ts'), 'odd\n'),
      () => git(two!, temp.env, 'merge', '--quiet', '--no-edit', 'feat/web-5'),
      () => git(three!, temp.env, 'reset', '--quiet', '--hard', 'main'),
      () => git(three!, temp.env, 'merge', '--quiet', '--ff-only', 'feat/web-6'),
    ]
    for (const [index, move] of moves.entries()) {
      move()
      if (git(one!, temp.env, 'status', '--porcelain') !== '') commitAll(one!)
      if (git(two!, temp.env, 'status', '--porcelain') !== '') commitAll(two!)
      const fresh = open(temp.env)
      expect([index, await radar.observe({ branches: live })]).toEqual([index, await fresh.observe({ branches: live })])
      fresh.close()
    }
  })

  it('with a git that cannot merge without a checkout it says so and shows the shared files', async () => {
    radar.close()
    radar = open(countingEnv('2.37.1'))
    const live = [1, 2].map((n) => worktree(`web-${n}`, { 'src/cart.ts': withLine(n, `${n}`) }))
    const picture = await radar.observe({ branches: live })
    expect(picture.note).toMatch(/git 2\.37\.1 cannot merge without a checkout/)
    expect(picture.meetings.map(({ kind, files }) => [kind, files[0]!.path])).toEqual([['unknown', 'src/cart.ts']])
    expect(readFileSync(calls, 'utf8')).not.toContain('merge-tree')
  })

  it('continues where a short time ended, and removes what it wrote', async () => {
    const live = [1, 2, 3].map((n) => worktree(`web-${n}`, { 'src/cart.ts': withLine(5, `${n}`) }))
    const none = await radar.observe({ branches: live, budgetMs: -1 })
    expect([none.pending, none.meetings.map(({ kind }) => kind)]).toEqual([3, ['unknown', 'unknown', 'unknown']])
    const all = await radar.observe({ branches: live })
    expect([all.pending, all.meetings.map(({ kind }) => kind)]).toEqual([0, ['conflict', 'conflict', 'conflict']])
    radar.close()
    expect(readdirSync(join(temp.home, 'data/radar'))).toEqual([])
  })

  it('survives branches that are gone, orphaned, half rebased or named like attacks', async () => {
    const one = worktree('web-1', { 'src/cart.ts': withLine(10, 'one') })
    const strange = worktree('web-2', { 'src/cart.ts': withLine(10, 'two'), 'x\nHEAD:cart.ts': 'a\n' })
    const strange2 = worktree('web-3', { 'x\nHEAD:cart.ts': 'b\n' })
    const gone = { ...one, id: 'web-4', branch: 'feat/none', directory: join(temp.home, 'none') }
    git(repo, temp.env, 'checkout', '--quiet', '--orphan', 'alone')
    git(repo, temp.env, 'commit', '--quiet', '--message', 'alone')
    git(repo, temp.env, 'checkout', '--quiet', 'main')
    const orphan = { ...one, id: 'web-5', branch: 'alone', directory: null }
    writeFileSync(join(repo, '.git/worktrees/web-1/MERGE_HEAD'), '')
    const picture = await radar.observe({ branches: [one, strange, strange2, gone, orphan] })
    expect(picture.branches.map(({ id, problem }) => [id, problem])).toEqual([
      ['web-1', 'a merge or rebase is in progress there'],
      ['web-2', null],
      ['web-3', null],
      ['web-5', 'it has nothing in common with the base branch'],
    ])
    expect(picture.meetings.map(({ a, b, kind, files }) => [a, b, kind, files[0]!.hunks])).toEqual([
      ['web-1', 'web-2', 'conflict', [{ a: 'one', b: 'two' }]],
      ['web-2', 'web-3', 'conflict', []],
    ])
  })
})
