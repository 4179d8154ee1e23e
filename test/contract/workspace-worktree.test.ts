// What is special about worktrees: git's own view of them, its locks, hooks and registrations.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runOperation } from './workspace-process.ts'
import { commitFile, contextOf, createWorld, openWorkspace, type World } from './workspace-world.ts'

let world: World
beforeEach(() => {
  world = createWorld('worktree')
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

describe('placement', () => {
  it('S1.2 S1.106 is an ordinary worktree below ~/.worktrees', async () => {
    const { path } = await world.create('app-1')
    expect(path).toBe(join(world.temp.home, '.worktrees', 'app', 'app-1'))
    expect(world.git(world.repo, 'worktree', 'list', '--porcelain')).toContain(`worktree ${path}\n`)
  })

  it.each([
    ['~/code/.worktrees', 'code/.worktrees'],
    ['~', '.'],
    ['trees', 'trees'],
  ])('S1.107 worktreeDir %s means %s below the home', async (worktreeDir, below) => {
    const workspace = openWorkspace('worktree', contextOf(world.temp), { worktreeDir })
    const { path } = await workspace.create(world.spec('app-1'))
    expect(path).toBe(join(world.temp.home, below, 'app', 'app-1'))
    await workspace.destroy(path)
  })

  it('S1.107 still removes a worktree after worktreeDir was changed', async () => {
    const { path } = await world.create('app-1')
    const moved = openWorkspace('worktree', contextOf(world.temp), { worktreeDir: '~/elsewhere' })
    await moved.destroy(path)
    expect(existsSync(path)).toBe(false)
  })
})

describe('branches', () => {
  it('F21 forgets its own worktree whose directory was deleted when its branch is wanted again', async () => {
    const { path } = await world.create('app-1', 'feat/x')
    rmSync(path, { recursive: true })
    const second = await world.create('app-2', 'feat/x')
    expect(world.git(second.path, 'symbolic-ref', '--short', 'HEAD')).toBe('feat/x')
  })

  it('starts from the base branch, whatever other refs are called', async () => {
    for (const ref of ['refs/heads/refs/heads/main', 'refs/tags/main', 'refs/tags/feat/x', 'refs/heads/-b'])
      world.git(world.repo, 'update-ref', ref, 'HEAD')
    const { path } = await world.create('app-1', 'feat/x')
    expect(world.git(path, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/feat/x')
    expect(world.git(path, 'rev-parse', 'HEAD')).toBe(world.git(world.repo, 'rev-parse', 'HEAD'))
  })

  it('F21 leaves a worktree registered that a person made, though its directory is missing', async () => {
    const theirs = join(world.temp.home, 'theirs')
    world.git(world.repo, 'worktree', 'add', '--quiet', '-b', 'feat/x', theirs)
    rmSync(theirs, { recursive: true })
    await expect(world.create('app-1', 'feat/x')).rejects.toMatchObject({
      code: 'BRANCH_TAKEN',
      message: expect.stringContaining('whose directory is gone'),
    })
    expect(world.git(world.repo, 'worktree', 'list')).toContain(theirs)
  })

  it('F21 takes a path again that git still remembers from before', async () => {
    const { path } = await world.create('app-1')
    rmSync(dirname(path), { recursive: true })
    const again = await world.create('app-1', 'feat/other')
    expect(world.git(again.path, 'symbolic-ref', '--short', 'HEAD')).toBe('feat/other')
  })

  it('says which branch makes another one impossible', async () => {
    world.git(world.repo, 'branch', 'feat')
    await expect(world.create('app-1', 'feat/x')).rejects.toMatchObject({
      code: 'BRANCH_TAKEN',
      message: 'The branch feat/x cannot be made while there is a branch feat',
    })
  })

  it('refuses a branch that another worktree is rebasing', async () => {
    const { path } = await world.create('app-1', 'feat/x')
    commitFile(world, path, 'README.md', 'ours\n')
    commitFile(world, world.repo, 'README.md', 'theirs\n')
    expect(() => world.git(path, 'rebase', 'main')).toThrow()
    await expect(world.create('app-2', 'feat/x')).rejects.toMatchObject({ code: 'BRANCH_TAKEN' })
  })

  it('two sessions that want one branch at once: one gets it, nothing is left of the other', async () => {
    const jobs = ['app-1', 'app-2'].map((sessionId) => world.workspace.create(world.spec(sessionId, 'feat/same')))
    const ends = await Promise.allSettled(jobs)
    expect(ends.map((end) => end.status).sort()).toEqual(['fulfilled', 'rejected'])
    const failed = ends.find((end) => end.status === 'rejected')
    expect(failed?.reason).toMatchObject({ code: 'BRANCH_TAKEN' })
    expect(world.git(world.repo, 'worktree', 'list').split('\n')).toHaveLength(2)
    expect(world.git(world.repo, 'branch', '--list', 'feat/same')).toContain('feat/same')
  })
})

describe('locks and hooks', () => {
  it('F20 waits for a lock that another git holds, and never removes it', async () => {
    const lock = join(world.repo, '.git', 'refs', 'heads', 'feat', 'app-1.lock')
    mkdirSync(dirname(lock), { recursive: true })
    writeFileSync(lock, '')
    const creating = world.create('app-1')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(existsSync(lock)).toBe(true)
    rmSync(lock)
    expect((await creating).branch).toBe('feat/app-1')
  })

  it('makes a new branch once, though a power loss tore the entry of another worktree, which git meets behind the branch', async () => {
    await world.create('app-1')
    const link = join(world.repo, '.git', 'worktrees', 'app-1', 'commondir')
    writeFileSync(link, '')
    const longAgo = new Date(Date.now() - 60_000)
    utimesSync(link, longAgo, longAgo)
    expect(await world.create('app-2')).toMatchObject({ branch: 'feat/app-2', branchCreated: true })
    expect(readFileSync(link, 'utf8')).toBe('../..\n')
  })

  it("runs the repository's post-checkout hook, and a failing one does not cost the session", async () => {
    const hook = join(world.repo, '.git', 'hooks', 'post-checkout')
    mkdirSync(dirname(hook), { recursive: true })
    writeFileSync(hook, '#!/bin/sh\necho ran > hook.txt\necho no good >&2\nexit 3\n', { mode: 0o755 })
    const { path } = await world.create('app-1')
    expect(readFileSync(join(path, 'hook.txt'), 'utf8')).toBe('ran\n')
    expect(world.progress).toEqual([expect.stringContaining('post-checkout hook failed: no good')])
  })

  it('our own plumbing runs no hook of the repository', async () => {
    const { path } = await world.create('app-1')
    const hooks = join(world.repo, '.git', 'hooks')
    mkdirSync(hooks, { recursive: true })
    for (const name of ['reference-transaction', 'post-index-change', 'pre-commit', 'post-checkout']) {
      writeFileSync(join(hooks, name), `#!/bin/sh\necho ${name} >> '${world.temp.home}/hooks.log'\n`, { mode: 0o755 })
    }
    writeFileSync(join(path, 'new.txt'), 'new\n')
    await world.workspace.snapshot(path, 'app-1')
    await world.workspace.destroy(path)
    expect(existsSync(join(world.temp.home, 'hooks.log'))).toBe(false)
  })
})

describe('removal', () => {
  it('says that a locked worktree is locked, and why', async () => {
    const { path } = await world.create('app-1')
    world.git(world.repo, 'worktree', 'lock', '--reason', 'on a stick', path)
    await expect(world.workspace.destroy(path)).rejects.toMatchObject({
      code: 'WORKSPACE_FAILED',
      message: `The worktree ${path} was not removed: it is locked: on a stick`,
      hint: `Unlock it with: git worktree unlock '${path}'`,
    })
    expect(existsSync(join(path, 'README.md'))).toBe(true)
  })

  it('refuses a worktree outside its base that it did not make', async () => {
    const theirs = join(world.temp.home, 'theirs')
    world.git(world.repo, 'worktree', 'add', '--quiet', theirs)
    await expect(world.workspace.destroy(theirs)).rejects.toThrow('it does not lie below')
    expect(existsSync(join(theirs, 'README.md'))).toBe(true)
  })

  it('F22 keeps the trash for a week', async () => {
    const { path } = await world.create('app-1')
    const trash = join(world.temp.home, '.worktrees', '.ao-trash')
    const day = 24 * 3600 * 1000
    const old = join(trash, `app-x-${Date.now() - 8 * day}`)
    const young = join(trash, `app-x-${Date.now() - 6 * day}`)
    for (const directory of [old, young, join(trash, 'something else')]) mkdirSync(directory, { recursive: true })
    await world.workspace.destroy(path)
    expect([existsSync(old), existsSync(young), existsSync(join(trash, 'something else'))]).toEqual([false, true, true])
  })

  it('F22 after the repository was moved nothing is removed or made over, and repair brings it back', async () => {
    const { path } = await world.create('app-1')
    writeFileSync(join(path, 'new.txt'), 'new\n')
    const moved = join(world.temp.home, 'moved')
    renameSync(world.repo, moved)
    expect(await world.workspace.exists(path)).toBe(false)
    await expect(world.workspace.snapshot(path, 'app-1')).rejects.toMatchObject({ code: 'WORKSPACE_NOT_SAVED' })
    const restoring = world.workspace.restore(world.spec('app-1', 'feat/app-1', { path: moved }), path)
    await expect(restoring).rejects.toMatchObject({ hint: expect.stringContaining('git worktree repair') })
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n')
    world.git(moved, 'worktree', 'repair', path)
    expect(await world.workspace.exists(path)).toBe(true)
    expect(await world.workspace.snapshot(path, 'app-1')).not.toBeNull()
  })
})

it('S1.2 M10 forty creations at once from five processes: none fails, nothing is left of a lock', async () => {
  const ids = Array.from({ length: 40 }, (_, at) => `app-${at + 1}`)
  const shares = Array.from({ length: 5 }, (_, share) => ids.filter((_id, at) => at % 5 === share))
  const ends = await Promise.all(
    shares.map((sessionIds) => runOperation(world, 'worktree', { operation: 'create', sessionIds })),
  )
  expect(ends.flatMap((end) => end.results).filter((result) => !result.ok)).toEqual([])
  const listed = await world.workspace.list('app', world.project)
  expect(listed.map((info) => info.sessionId).sort()).toEqual([...ids].sort())
  expect(new Set(listed.map((info) => info.branch)).size).toBe(40)
})

it('ignores times in the future when it decides about fetching', async () => {
  world.git(world.repo, 'remote', 'add', 'origin', join(world.temp.home, 'gone'))
  const fetchHead = join(world.repo, '.git', 'FETCH_HEAD')
  writeFileSync(fetchHead, '')
  const future = new Date(Date.now() + 3600_000)
  utimesSync(fetchHead, future, future)
  await world.create('app-1')
  expect(world.progress).toHaveLength(1)
})
