// Killed with SIGKILL at every interesting point: what is left can be created, destroyed and saved again, and leaks nothing.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readMarker } from '../../src/git/workspace/record.ts'
import { waitFor } from '../support/wait-for.ts'
import { runOperation } from './workspace-process.ts'
import { createWorld, fingerprint, type Kind, type World } from './workspace-world.ts'

let world: World
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

const CREATE_POINTS: Array<[Kind, string]> = [
  ['worktree', 'worktree.create.recorded'],
  ['worktree', 'worktree.create.added'],
  ['worktree', 'worktree.create.marked'],
  ['clone', 'clone.create.recorded'],
  ['clone', 'clone.create.cloned'],
  ['clone', 'clone.create.placed'],
]

it.each(CREATE_POINTS)(
  'S2.26 %s killed at %s is created by the next attempt, or taken back with its branch',
  async (kind, failpoint) => {
    world = createWorld(kind)
    await killAt('create', kind, failpoint)
    const info = await world.create('app-1')
    expect(info.branchCreated).toBe(true)
    expect(world.git(info.path, 'status', '--porcelain')).toBe('')
    await world.workspace.undoCreate(info, world.project)
    expectNoTrace()

    await killAt('create', kind, failpoint)
    await world.workspace.destroy(info.path)
    expectNoTrace()
  },
)

const DESTROY_POINTS: Array<[Kind, string]> = [
  ['worktree', 'worktree.destroy.started'],
  ['worktree', 'worktree.destroy.removed'],
  ['clone', 'clone.destroy.started'],
  ['clone', 'clone.destroy.moved'],
]

it.each(DESTROY_POINTS)('%s killed at %s is destroyed by the next attempt', async (kind, failpoint) => {
  world = createWorld(kind)
  const { path } = await world.create('app-1')
  await killAt('destroy', kind, failpoint)
  await world.workspace.destroy(path)
  expect(existsSync(path)).toBe(false)
  expect(readdirSync(dirname(path))).toEqual([])
  expect(world.git(world.repo, 'worktree', 'list').split('\n')).toHaveLength(1)
  expect((await world.workspace.restore(world.spec('app-1'), path)).path).toBe(path)
})

const SAVE_POINTS: Array<[Kind, string]> = [
  ['worktree', 'rescue.save.collected'],
  ['worktree', 'rescue.save.committed'],
  ['worktree', 'rescue.save.published'],
  ['clone', 'rescue.save.committed'],
  ['clone', 'rescue.save.published'],
]

it.each(SAVE_POINTS)(
  'S0.67 snapshot of a %s killed at %s is made by the next attempt, once',
  async (kind, failpoint) => {
    world = createWorld(kind)
    const { path } = await world.create('app-1')
    writeFileSync(join(path, 'new.txt'), 'new\n')
    await killAt('snapshot', kind, failpoint)
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n')
    const rescue = await world.workspace.snapshot(path, 'app-1')
    expect(rescue?.ref).toBe('refs/ao/rescue/app-1/1')
    expect(world.git(world.repo, 'for-each-ref', '--format=%(refname)', 'refs/ao')).toBe(rescue?.ref)
    const gitDir = world.git(path, 'rev-parse', '--absolute-git-dir')
    expect(readdirSync(gitDir).filter((name) => name.startsWith('ao-rescue'))).toEqual([])
  },
)

const APPLY_POINTS: Array<[Kind, string]> = [
  ['worktree', 'rescue.apply.started'],
  ['worktree', 'rescue.apply.trees'],
  ['worktree', 'rescue.apply.done'],
  ['clone', 'rescue.apply.trees'],
]

it.each(APPLY_POINTS)('S0.68 bringing work back into a %s, killed at %s, is continued', async (kind, failpoint) => {
  world = createWorld(kind)
  const { path } = await world.create('app-1')
  writeFileSync(join(path, 'new.txt'), 'new\n')
  writeFileSync(join(path, 'README.md'), 'edited\n')
  world.git(path, 'add', 'README.md')
  const files = fingerprint(path)
  const status = world.git(path, 'status', '--porcelain')
  await world.workspace.snapshot(path, 'app-1')
  await world.workspace.destroy(path)
  await world.workspace.restore(world.spec('app-1'), path)
  await killAt('applyRescue', kind, failpoint)
  await world.workspace.applyRescue(path, 'app-1', world.project)
  expect(fingerprint(path)).toEqual(files)
  expect(world.git(path, 'status', '--porcelain')).toBe(status)
  expect(await world.workspace.applyRescue(path, 'app-1', world.project)).toBeNull()
})

it('a git that outlives its killed ao, or dies half-way with it, is cleared away by the next attempt', async () => {
  world = createWorld('worktree')
  const started = join(world.temp.home, 'started')
  const hooks = join(world.repo, '.git', 'hooks')
  mkdirSync(hooks, { recursive: true })
  const hook = `#!/bin/sh\n[ -e '${started}' ] && exit 0\ntouch '${started}'\nsleep 60\n`
  writeFileSync(join(hooks, 'post-checkout'), hook, { mode: 0o755 })
  const running = runOperation(world, 'worktree', { operation: 'create', sessionIds: ['app-1'] })
  await waitFor('the hook to run', () => existsSync(started))
  killOwner()
  expect((await running).signal).toBe('SIGKILL')
  const info = await world.create('app-1')
  expect(world.git(info.path, 'status', '--porcelain')).toBe('')
})

it('a worktree that git left locked half-way is cleared away', async () => {
  world = createWorld('worktree')
  await killAt('create', 'worktree', 'worktree.create.added')
  const gitDir = join(world.repo, '.git', 'worktrees', 'app-1')
  writeFileSync(join(gitDir, 'locked'), 'initializing\n')
  rmSync(join(gitDir, 'index'))
  const info = await world.create('app-1')
  expect(readMarker(gitDir)?.sessionId).toBe('app-1')
  expect(world.git(info.path, 'status', '--porcelain')).toBe('')
})

it('an entry that not even git can read does not stay in the way of every worktree', async () => {
  world = createWorld('worktree')
  await killAt('create', 'worktree', 'worktree.create.added')
  writeFileSync(join(world.repo, '.git', 'worktrees', 'app-1', 'commondir'), '')
  expect(() => world.git(world.repo, 'worktree', 'list')).toThrow('failed to read')
  await world.workspace.destroy(world.workspace.pathFor({ projectId: 'app', sessionId: 'app-1' }))
  expect(world.git(world.repo, 'worktree', 'list').split('\n')).toHaveLength(1)
  expect((await world.create('app-1')).branchCreated).toBe(true)
})

it('a directory that git half deleted goes to the trash, not away', async () => {
  world = createWorld('worktree')
  const { path } = await world.create('app-1')
  rmSync(join(path, '.git'))
  await world.workspace.destroy(path)
  expect(existsSync(path)).toBe(false)
  const trash = join(dirname(dirname(path)), '.ao-trash')
  expect(readdirSync(trash)).toEqual([expect.stringMatching(/^app-app-1-\d+$/)])
  expect(world.git(world.repo, 'worktree', 'list').split('\n')).toHaveLength(1)
})

async function killAt(
  operation: 'create' | 'destroy' | 'snapshot' | 'applyRescue',
  kind: Kind,
  failpoint: string,
): Promise<void> {
  const end = await runOperation(world, kind, { operation, sessionIds: ['app-1'], failpoint })
  expect(end).toEqual({ signal: 'SIGKILL', results: [] })
}

/** The process that the record of the workspace names. */
function killOwner(): void {
  const record = join(world.temp.home, '.worktrees', 'app', '.app-1.json')
  const { owner } = JSON.parse(readFileSync(record, 'utf8')) as { owner: string }
  process.kill(Number(owner.split(':')[0]), 'SIGKILL')
}

function expectNoTrace(): void {
  const path = world.workspace.pathFor({ projectId: 'app', sessionId: 'app-1' })
  expect(readdirSync(dirname(path))).toEqual([])
  expect(world.git(world.repo, 'worktree', 'list').split('\n')).toHaveLength(1)
  expect(world.git(world.repo, 'branch', '--list', 'feat/*')).toBe('')
}
