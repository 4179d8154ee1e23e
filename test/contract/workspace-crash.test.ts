// Killed with SIGKILL at every interesting point: what is left can be created, destroyed and saved again, and leaks nothing.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { readMarker } from '../../src/git/workspace/record.ts'
import { cover } from '../support/cover.ts'
import { waitFor } from '../support/wait-for.ts'
import { type Operation, runOperation } from './workspace-process.ts'
import { createWorld, fingerprint, type Kind, type World } from './workspace-world.ts'

let world: World
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

it.each(['worktree', 'clone'] as const)('%s: half of a record is removed by whoever writes it next', async (kind) => {
  world = createWorld(kind)
  const info = await world.create('app-1')
  const directory = dirname(info.path)
  // As left by a killed process; no process has this id.
  const left = (session: string) => join(directory, `..${session}.json.${2 ** 22 + 1}.0123abcd.tmp`)
  for (const session of ['app-1', 'app-2']) writeFileSync(left(session), '{')
  await world.workspace.destroy(info.path)
  // Another session's may still be written.
  expect([existsSync(left('app-1')), existsSync(left('app-2'))]).toEqual([false, true])
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
  'S2.26 %s killed at %s is created by the next attempt, or rolled back with its branch',
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

const REMOVE_POINTS = ['recorded', 'moved', 'forgotten', 'deleted'].map((step) => `workspace.remove.${step}`)
const DESTROY_POINTS: Array<[Kind, string]> = (['worktree', 'clone'] satisfies Kind[]).flatMap((kind) =>
  [`${kind}.destroy.started`, ...REMOVE_POINTS].map((point): [Kind, string] => [kind, point]),
)

it.each(DESTROY_POINTS)('%s killed at %s is destroyed by the next attempt', async (kind, failpoint) => {
  world = createWorld(kind)
  const { path } = await world.create('app-1')
  await killAt('destroy', kind, failpoint)
  await world.workspace.destroy(path)
  expect(existsSync(path)).toBe(false)
  expect(readdirSync(dirname(path))).toEqual([])
  expect(trashOf(path)).toEqual([])
  expect(world.git(world.repo, 'worktree', 'list').split('\n')).toHaveLength(1)
  expect((await world.workspace.restore(world.spec('app-1'), path)).path).toBe(path)
})

it.each(['worktree', 'clone'] satisfies Kind[])('what appears where a %s was moved away from is kept', async (kind) => {
  world = createWorld(kind)
  const { path } = await world.create('app-1')
  await killAt('destroy', kind, 'workspace.remove.moved')
  mkdirSync(path)
  writeFileSync(join(path, 'late.txt'), 'written by a straggler\n')
  await world.workspace.destroy(path)
  expect(existsSync(path)).toBe(false)
  const [kept, ...more] = trashOf(path)
  expect(more).toEqual([])
  expect(readFileSync(join(dirname(dirname(path)), '.ao-trash', kept!, 'late.txt'), 'utf8')).toContain('straggler')
})

/** What both kinds share, each point with one of them in `npm test`. */
const shared = (points: string[]) => cover(points, ['clone', 'worktree'] satisfies Kind[])
const SAVE_POINTS = shared(['collected', 'committed', 'published'].map((step) => `rescue.save.${step}`))

it.each(SAVE_POINTS)('S0.67 a snapshot killed at %s is made by the next attempt, once: %s', async (failpoint, kind) => {
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
})

const APPLY_POINTS = shared(['started', 'trees', 'state', 'done'].map((step) => `rescue.apply.${step}`))

it.each(APPLY_POINTS)('S0.68 bringing work back, killed at %s, is begun again: %s', async (failpoint, kind) => {
  world = createWorld(kind)
  const before = await saveAndRemove()
  await world.workspace.restore(world.spec('app-1'), before.path)
  await killAt('applyRescue', kind, failpoint)
  expect(await world.workspace.exists(before.path)).toBe(false)
  expect(await world.workspace.snapshot(before.path, 'app-1')).toBeNull()
  await expectExactly(before)
})

const MERGE_POINT = 'rescue.apply.merged'
const REPAIR_POINTS = ['worktree.repair.registered', 'worktree.repair.linked']
const KEEP_POINTS = shared(['rescue.kept', 'rescue.settled'])

it.each(KEEP_POINTS)('S0.68 the end of a restore, killed at %s, is finished: %s', async (failpoint, kind) => {
  world = createWorld(kind)
  const before = await saveAndRemove()
  await world.workspace.restore(world.spec('app-1'), before.path)
  await world.workspace.applyRescue(before.path, 'app-1', world.project)
  await killAt('keepRestored', kind, failpoint)
  await world.workspace.keepRestored(before.path, 'app-1', world.project)
  expect(await world.workspace.exists(before.path)).toBe(true)
  expect(fingerprint(before.path)).toEqual(before.files)
  expect(await world.workspace.applyRescue(before.path, 'app-1', world.project)).toBeNull()
})

it.each(['worktree', 'clone'] satisfies Kind[])(
  'S0.68 merging work into a %s, killed, is begun again',
  async (kind) => {
    world = createWorld(kind)
    const { path } = await saveAndRemove()
    world.git(world.repo, 'checkout', '--quiet', 'feat/app-1')
    writeFileSync(join(world.repo, 'theirs.txt'), 'theirs\n')
    world.git(world.repo, 'add', '--all')
    world.git(world.repo, 'commit', '--quiet', '-m', 'theirs')
    world.git(world.repo, 'checkout', '--quiet', 'main')
    await world.workspace.restore(world.spec('app-1'), path)
    await killAt('applyRescue', kind, MERGE_POINT)
    await world.workspace.restore(world.spec('app-1'), path)
    await world.workspace.applyRescue(path, 'app-1', world.project)
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n')
    expect(readFileSync(join(path, 'theirs.txt'), 'utf8')).toBe('theirs\n')
  },
)

it.each(REPAIR_POINTS)(
  'a worktree that is being connected again, killed at %s, is connected by the next attempt',
  async (point) => {
    world = createWorld('worktree')
    const { path } = await world.create('app-1')
    writeFileSync(join(path, 'new.txt'), 'new\n')
    rmSync(join(world.repo, '.git', 'worktrees', 'app-1'), { recursive: true })
    await killAt('repair', 'worktree', point)
    await world.workspace.repair(path, world.project)
    expect(world.git(path, 'status', '--porcelain')).toBe('?? new.txt')
    expect(world.git(path, 'symbolic-ref', '--short', 'HEAD')).toBe('feat/app-1')
    expect(world.git(world.repo, 'worktree', 'list').split('\n')).toHaveLength(2)
    expect(readdirSync(dirname(path)).sort()).toEqual(['.app-1.json', 'app-1'])
  },
)

it('every point of interruption of the workspaces is tried here', () => {
  const tried = [
    ...[...CREATE_POINTS, ...DESTROY_POINTS].map(([, name]) => name),
    ...[...SAVE_POINTS, ...APPLY_POINTS, ...KEEP_POINTS].map(([name]) => name),
  ]
  const there = ['src/git', 'src/plugins/workspace-worktree', 'src/plugins/workspace-clone']
    .flatMap(failpointsIn)
    // A merge passes these (local-forge-merge.test.ts), and a rewind those (flow/rewind.test.ts).
    .filter((name) => !name.startsWith('vault.') && !name.startsWith('rewind.'))
  expect([...new Set([...tried, MERGE_POINT, ...REPAIR_POINTS])].sort()).toEqual([...new Set(there)].sort())
})

function failpointsIn(folder: string): string[] {
  const root = new URL(`../../${folder}/`, import.meta.url).pathname
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/failpoint\('([^']+)'\)/g)])
    .map((match) => match[1]!)
}

interface Before {
  path: string
  files: Record<string, string>
  status: string
}

/** A workspace with staged, unstaged and untracked work, saved and gone. */
async function saveAndRemove(): Promise<Before> {
  const { path } = await world.create('app-1')
  writeFileSync(join(path, 'new.txt'), 'new\n')
  writeFileSync(join(path, 'README.md'), 'edited\n')
  world.git(path, 'add', 'README.md')
  const before = { path, files: fingerprint(path), status: world.git(path, 'status', '--porcelain') }
  await world.workspace.snapshot(path, 'app-1')
  await world.workspace.destroy(path)
  return before
}

/** The whole restore, from wherever the interruption left things. */
async function expectExactly({ path, files, status }: Before): Promise<void> {
  await world.workspace.restore(world.spec('app-1'), path)
  expect((await world.workspace.applyRescue(path, 'app-1', world.project))?.ref).toBe('refs/ao/rescue/app-1/1')
  await world.workspace.keepRestored(path, 'app-1', world.project)
  expect(fingerprint(path)).toEqual(files)
  expect(world.git(path, 'status', '--porcelain')).toBe(status)
  expect(await world.workspace.applyRescue(path, 'app-1', world.project)).toBeNull()
  expect(trashOf(path)).toEqual([])
}

function trashOf(path: string): string[] {
  const trash = join(dirname(dirname(path)), '.ao-trash')
  return existsSync(trash) ? readdirSync(trash) : []
}

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

it.each(['worktree', 'clone'] satisfies Kind[])(
  'locks of refs that a killed git left do not block a %s',
  async (kind) => {
    world = createWorld(kind)
    const lock = (ref: string) => {
      const file = join(world.repo, '.git', `${ref}.lock`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, '')
      return file
    }
    const locks = [lock('refs/ao/rescue/app-1/1'), lock('refs/ao/settled/app-1/1')]
    const before = await saveAndRemove()
    await expectExactly(before)
    if (kind === 'worktree') {
      await killAt('create', kind, 'worktree.create.recorded', 'app-2')
      locks.push(lock('refs/heads/feat/app-2'))
      expect((await world.create('app-2')).branchCreated).toBe(true)
    }
    for (const file of locks) expect(existsSync(file)).toBe(false)
  },
)

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

async function killAt(operation: Operation, kind: Kind, failpoint: string, sessionId = 'app-1'): Promise<void> {
  const end = await runOperation(world, kind, { operation, sessionIds: [sessionId], failpoint })
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
