// What is special about clones: they are whole repositories, and their content must find its way back to the project.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRepo } from '../support/git-repo.ts'
import { commitFile, contextOf, createWorld, openWorkspace, type World } from './workspace-world.ts'

let world: World
beforeEach(() => {
  world = createWorld('clone')
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

it('S0.2 lies below cloneDir and borrows nothing from the project', async () => {
  const workspace = openWorkspace('clone', contextOf(world.temp), { cloneDir: '~/my/clones' })
  const { path } = await workspace.create(world.spec('app-1'))
  expect(path).toBe(join(world.temp.home, 'my', 'clones', 'app', 'app-1'))
  expect(existsSync(join(path, '.git/objects/info/alternates'))).toBe(false)
  rmSync(world.repo, { recursive: true })
  expect(world.git(path, 'fsck', '--full')).toBe('')
})

it('stays whole when the project itself borrows its objects', async () => {
  const borrowing = join(world.temp.home, 'borrowing')
  world.git(world.temp.home, 'clone', '--quiet', '--shared', world.repo, borrowing)
  const { path } = await world.workspace.create(world.spec('app-1', 'feat/x', { path: borrowing }))
  rmSync(world.repo, { recursive: true })
  expect(world.git(path, 'fsck', '--full')).toBe('')
})

it('has the remote, its branches and the identity of the project', async () => {
  const upstream = createRepo(join(world.temp.home, 'up stream'), world.env)
  world.git(upstream, 'branch', 'release')
  world.git(world.repo, 'remote', 'add', 'origin', '../up stream')
  world.git(world.repo, 'fetch', '--quiet', 'origin')
  world.git(world.repo, 'branch', 'local-only')
  world.git(world.repo, 'config', 'user.email', 'local@example.invalid')
  const { path } = await world.create('app-1')
  expect(world.git(path, 'config', 'remote.origin.url')).toBe(upstream)
  expect(world.git(path, 'config', 'user.email')).toBe('local@example.invalid')
  const remotes = world.git(path, 'for-each-ref', '--format=%(refname:lstrip=3)', 'refs/remotes')
  expect(remotes.split('\n')).toEqual(['HEAD', 'main', 'release'])
  world.git(path, 'fetch', '--quiet')
})

it('without a remote, origin is the project', async () => {
  const { path } = await world.create('app-1')
  expect(world.git(path, 'config', 'remote.origin.url')).toBe(world.repo)
  commitFile(world, path, 'done.txt', 'done\n')
  world.git(path, 'push', '--quiet', 'origin', 'feat/app-1')
  expect(world.git(world.repo, 'log', '-1', '--format=%s', 'feat/app-1')).toBe('done.txt')
})

it('S0.67 brings commits of every branch and tag into the project', async () => {
  const { path } = await world.create('app-1')
  commitFile(world, path, 'one.txt', '1\n')
  world.git(path, 'tag', '-a', 'v1', '-m', 'one')
  world.git(path, 'checkout', '--quiet', '-b', 'agents/second')
  commitFile(world, path, 'two.txt', '2\n')
  expect(await world.workspace.snapshot(path, 'app-1')).toBeNull()
  await world.workspace.destroy(path)
  expect(world.git(world.repo, 'log', '-1', '--format=%s', 'feat/app-1')).toBe('one.txt')
  expect(world.git(world.repo, 'log', '-1', '--format=%s', 'agents/second')).toBe('two.txt')
  expect(world.git(world.repo, 'cat-file', '-t', 'v1')).toBe('tag')
})

it('S0.67 a branch that the agent rewrote replaces what the clone started from', async () => {
  world.git(world.repo, 'checkout', '--quiet', '-b', 'feat/x')
  commitFile(world, world.repo, 'draft.txt', 'draft\n')
  world.git(world.repo, 'checkout', '--quiet', 'main')
  const { path } = await world.create('app-1', 'feat/x')
  world.git(path, 'commit', '--quiet', '--amend', '-m', 'better')
  expect(await world.workspace.snapshot(path, 'app-1')).toBeNull()
  expect(world.git(world.repo, 'log', '-1', '--format=%s', 'feat/x')).toBe('better')
})

it('S0.67 commits for a branch that moved in the project are kept in a rescue, and the branch is left alone', async () => {
  const { path } = await world.create('app-1')
  commitFile(world, path, 'mine.txt', 'mine\n')
  world.git(world.repo, 'checkout', '--quiet', '-b', 'feat/app-1')
  commitFile(world, world.repo, 'theirs.txt', 'theirs\n')
  const rescue = await world.workspace.snapshot(path, 'app-1')
  expect(rescue).not.toBeNull()
  await world.workspace.destroy(path)
  expect(world.git(world.repo, 'log', '-1', '--format=%s', 'feat/app-1')).toBe('theirs.txt')
  expect(world.git(world.repo, 'show', `${rescue?.ref}:mine.txt`)).toBe('mine')
  expect(world.git(world.repo, 'log', '-1', '--format=%s', `${rescue?.ref}^1`)).toBe('mine.txt')
})

it('S0.67 S0.68 stashes come back in their order', async () => {
  const { path } = await world.create('app-1')
  for (const text of ['first', 'second']) {
    writeFileSync(join(path, 'README.md'), `${text}\n`)
    world.git(path, 'stash', 'push', '--quiet', '-m', text)
  }
  const rescue = await world.workspace.snapshot(path, 'app-1')
  expect(rescue).not.toBeNull()
  await world.workspace.destroy(path)
  await world.workspace.restore(world.spec('app-1'), path)
  await world.workspace.applyRescue(path, 'app-1', world.project)
  await world.workspace.keepRestored(path, 'app-1', world.project)
  expect(world.git(path, 'stash', 'list').split('\n')).toHaveLength(2)
  world.git(path, 'stash', 'pop', '--quiet')
  expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('second\n')
})

it('S0.69 is not saved, and so not removed, when the project is gone', async () => {
  const { path } = await world.create('app-1')
  rmSync(world.repo, { recursive: true })
  await expect(world.workspace.snapshot(path, 'app-1')).rejects.toMatchObject({ code: 'WORKSPACE_NOT_SAVED' })
  expect(await world.workspace.exists(path)).toBe(true)
})

it('objects of the rescue survive a garbage collection in the project', async () => {
  const { path } = await world.create('app-1')
  writeFileSync(join(path, 'new.txt'), 'new\n')
  await world.workspace.snapshot(path, 'app-1')
  await world.workspace.destroy(path)
  world.git(world.repo, 'reflog', 'expire', '--expire=now', '--all')
  world.git(world.repo, 'gc', '--quiet', '--prune=now')
  await world.workspace.restore(world.spec('app-1'), path)
  await world.workspace.applyRescue(path, 'app-1', world.project)
  await world.workspace.keepRestored(path, 'app-1', world.project)
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n')
})
