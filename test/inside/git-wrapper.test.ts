import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git as realGit } from '../support/git-repo.ts'
import { createInsideSession, type InsideSession } from './inside-session.ts'

let inside: InsideSession
let worktree: string

beforeEach(async () => {
  inside = await createInsideSession()
  worktree = createRepo(join(inside.temp.home, 'worktree'), inside.temp.env, { 'README.md': 'x', 'some-file': 'x' })
  writeFileSync(inside.file, `status=working\nbranch=session/svc-1\nworktree=${worktree}\n`)
  for (const branch of ['feat/ISSUE-42', 'fix-login', 'plain']) realGit(worktree, inside.temp.env, 'branch', branch)
})
afterEach(async () => {
  expect(await inside.temp.cleanup()).toEqual([])
})

const git = (args: string[], cwd = worktree) => inside.run('git', args, { cwd })
const noted = () => inside.pairs().branch

describe('git', () => {
  it.each([
    [['checkout', '-b', 'topic'], 'topic'],
    [['switch', '-c', 'topic'], 'topic'],
    [['checkout', '-B', 'plain'], 'plain'],
    [['switch', '--create', 'new/one'], 'new/one'],
    [['switch', '--create=new/one'], 'new/one'],
    [['checkout', '-qb', 'topic', 'HEAD'], 'topic'],
    [['-c', 'advice.detachedHead=false', 'checkout', '-b', 'topic'], 'topic'],
    [['--no-pager', 'switch', '-q', '-c', 'topic'], 'topic'],
    [['checkout', '--orphan', 'fresh'], 'fresh'],
  ])('S1.78 %j writes branch=%s', (args, branch) => {
    expect(git(args).status).toBe(0)
    expect(noted()).toBe(branch)
  })

  it.each([
    [['checkout', 'feat/ISSUE-42'], 'feat/ISSUE-42'],
    [['switch', 'fix-login'], 'fix-login'],
    [['checkout', '-q', 'fix-login'], 'fix-login'],
  ])('S1.79 %j writes branch=%s', (args, branch) => {
    expect(git(args).status).toBe(0)
    expect(noted()).toBe(branch)
  })

  it('S1.79 a way back with - is recorded by the name it leads to', () => {
    git(['checkout', 'feat/ISSUE-42'])
    git(['checkout', 'fix-login'])
    git(['checkout', '-'])
    expect(noted()).toBe('feat/ISSUE-42')
  })

  it.each([[['checkout', 'main']], [['switch', 'main']], [['switch', 'plain']], [['checkout', 'plain']]])(
    'S1.80 %j writes nothing',
    (args) => {
      git(['checkout', '--detach', '-q'])
      expect(git(args).status).toBe(0)
      expect(noted()).toBe('session/svc-1')
    },
  )

  it.each([
    [['checkout', '--', 'some-file'], 0],
    [['checkout', 'some-file'], 0],
    [['checkout', 'HEAD', '--', 'some-file'], 0],
    [['checkout', 'no-such/branch'], 1],
    [['checkout', '-b', 'plain'], 128],
    [['switch', '-c', 'bad..name'], 128],
    [['checkout', '--detach', 'fix-login'], 0],
    [['branch', 'other-branch'], 0],
    [['status', '--porcelain'], 0],
    [['log', '--format=%s', 'checkout'], 128],
    [['commit', '--allow-empty', '-qm', 'checkout -b x-y'], 0],
    [['checkout', '--no-such-option', 'fix-login'], 129],
  ])('S1.81 %j writes nothing and ends with %i', (args, status) => {
    realGit(worktree, inside.temp.env, 'checkout', '-q', 'fix-login')
    expect(git(args).status).toBe(status)
    expect(noted()).toBe('session/svc-1')
  })

  it.each([
    [['checkout', '-b', 'topic']],
    [['switch', 'no-such-branch']],
    [['checkout', 'fix-login']],
    [['rev-parse', 'HEAD']],
    [['--version']],
    [[]],
  ])('S1.81 %j says the same as unwrapped', (args) => {
    const twin = createRepo(join(inside.temp.home, 'twin'), inside.temp.env, { 'README.md': 'x', 'some-file': 'x' })
    realGit(twin, inside.temp.env, 'branch', 'fix-login')
    const commit = realGit(worktree, inside.temp.env, 'rev-parse', 'HEAD')
    const ofTwin = realGit(twin, inside.temp.env, 'rev-parse', 'HEAD')
    const wrapped = git(args)
    const direct = inside.run('git', args, { cwd: twin, env: { PATH: inside.temp.env.PATH } })
    const text = (data: Buffer) => data.toString().replaceAll(ofTwin, commit)
    expect(text(wrapped.stdout)).toBe(text(direct.stdout))
    expect(text(wrapped.stderr)).toBe(text(direct.stderr))
    expect(wrapped.status).toBe(direct.status)
  })

  it('a branch of another repository is not the session’s', () => {
    const other = createRepo(join(inside.temp.home, 'other'), inside.temp.env)
    git(['checkout', '-b', 'feat/other'], other)
    git(['-C', other, 'switch', '-c', 'feat/other-2'])
    expect(noted()).toBe('session/svc-1')
    git(['-C', worktree, 'switch', '-c', 'feat/mine'], other)
    expect(noted()).toBe('feat/mine')
    mkdirSync(join(worktree, 'deep'))
    git(['switch', 'fix-login'], join(worktree, 'deep'))
    expect(noted()).toBe('fix-login')
  })

  it('S1.91 is the wrapper once ~/.ao/bin is first on PATH, as gh is', () => {
    const run = inside.bash('export PATH="$HOME/.ao/bin:$PATH"; command -v gh git', { cwd: worktree })
    expect(run.stdout.toString()).toBe(`${inside.bin}/gh\n${inside.bin}/git\n`)
  })

  it('S1.92 without AO_SESSION is the real one', () => {
    expect(inside.run('git', ['checkout', '-b', 'topic'], { cwd: worktree, env: { AO_SESSION: '' } }).status).toBe(0)
    expect(noted()).toBe('session/svc-1')
  })

  it('runs hooks of the repository with the wrapper still first on PATH, without end', () => {
    const hook = join(worktree, '.git', 'hooks', 'post-checkout')
    mkdirSync(join(worktree, '.git', 'hooks'), { recursive: true })
    writeFileSync(hook, '#!/bin/sh\ngit rev-parse --abbrev-ref HEAD > hook-saw\n', { mode: 0o755 })
    git(['checkout', '-b', 'with/hook'])
    expect(existsSync(join(worktree, 'hook-saw'))).toBe(true)
    expect(readFileSync(join(worktree, 'hook-saw'), 'utf8')).toBe('with/hook\n')
    expect(noted()).toBe('with/hook')
  })
})

describe('git push', () => {
  const push = (args: string[], facade: string | undefined) =>
    inside.run('git', args, { cwd: worktree, env: { AO_GH_FACADE: facade } })

  it.each([[['push']], [['push', '-u', 'origin', 'HEAD']], [['-C', '.', 'push', '--force-with-lease']]])(
    '%j says that nothing needs pushing where pull requests are ao’s own and there is no remote',
    (args) => {
      const { status, stderr } = push(args, 'ao gh')
      expect(stderr.toString()).toContain('nothing was pushed and nothing needs to be')
      expect(status).toBe(0)
    },
  )

  it('is the real one with a remote, and without ao’s own pull requests', () => {
    expect(push(['push', '-u', 'origin', 'HEAD'], undefined)).toMatchObject({ status: 128 })
    const bare = join(inside.temp.home, 'bare.git')
    realGit(inside.temp.home, inside.temp.env, 'clone', '--quiet', '--bare', worktree, bare)
    realGit(worktree, inside.temp.env, 'remote', 'add', 'origin', bare)
    realGit(worktree, inside.temp.env, 'switch', '--quiet', '--create', 'pushed')
    expect(push(['push', '--quiet', 'origin', 'HEAD'], 'ao gh')).toMatchObject({ status: 0 })
    expect(realGit(bare, inside.temp.env, 'branch', '--list', 'pushed')).toContain('pushed')
  })
})
