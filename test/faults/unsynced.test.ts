// What other programs wrote is on the disk before anything relies on it: where it cannot be brought there, nothing is acknowledged,
// and the same command works when the disk does again.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { mergePull } from '../../src/forge/merge/merge-pull.ts'
import { openPull } from '../../src/forge/pulls/open-pull.ts'
import { readRecord } from '../../src/git/workspace/record.ts'
import { verifyChange } from '../../src/landing/make-merge-commit.ts'
import { createForgeWorld } from '../contract/local-forge-world.ts'
import { commitFile, contextWithBrokenGit, createWorld, type Kind } from '../contract/workspace-world.ts'
import { createAoHome } from '../support/ao-home.ts'

const REFUSED = { code: 'FILE_UNUSABLE', message: 'The disk could not be synced: Input/output error' }

/** Until the test ends, or `vi.unstubAllEnvs()`. */
function breakSync(home: string, before = ''): void {
  const bin = join(home, 'bin-without-sync')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'sync'), `#!/bin/sh\n${before}echo "Input/output error" >&2\nexit 1\n`, { mode: 0o755 })
  vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
}

afterEach(() => vi.unstubAllEnvs())

const AGENT = 'agent: generic\nagentConfig: { command: [sh, -c, exec cat, agent, "{promptFile}"] }'

it('whoever goes on while a worktree settles hears that it did not, and rolls it back: it is not taken from under them', async () => {
  const world = createWorld('worktree')
  breakSync(world.temp.home)
  let settled: Promise<unknown> = Promise.resolve()
  const onSettling = (settling: Promise<void>) => {
    settled = settling.catch((error: unknown) => error)
  }
  const { path } = await world.workspace.create({ ...world.spec('app-1'), onSettling })
  expect(await settled).toMatchObject(REFUSED)
  expect([existsSync(path), readRecord(path)?.state]).toEqual([true, 'creating'])
  expect(await world.workspace.rollBack!(path)).toBe(true)
  expect([existsSync(path), readRecord(path), world.git(world.repo, 'branch', '--list', 'feat/*')]).toEqual([
    false,
    null,
    '',
  ])
  expect(await world.temp.cleanup()).toEqual([])
})

it('no agent is started in a worktree that could not be synced, and the spawn leaves nothing', async () => {
  const ao = await createAoHome()
  breakSync(ao.home)
  const { exitCode, stderr } = ao.run(['spawn', '--prompt', 'work'], { PATH: process.env.PATH })
  expect([exitCode === 0, stderr]).toEqual([false, expect.stringContaining(REFUSED.message)])
  expect([ao.tmuxSessions(), ao.worktrees(), ao.branches(), ao.stateDirs()]).toEqual([[], [], ['main'], []])
  vi.unstubAllEnvs()
  expect(ao.spawn()).toBe('app-2')
  expect(await ao.cleanup()).toEqual([])
})

it('a sync that fails while commands prepare the worktree is what the spawn says, and nothing is left', async () => {
  const ao = await createAoHome({
    projectYaml: `${AGENT}\npostCreate: ['touch reached; sleep 1; mkdir -p deep; touch deep/file']`,
  })
  breakSync(ao.home, `until [ -e '${ao.worktree('app-1')}/reached' ]; do sleep 0.1; done\n`)
  const { exitCode, stderr } = ao.run(['spawn', '--prompt', 'work'], { PATH: process.env.PATH })
  expect([exitCode === 0, stderr]).toEqual([false, expect.stringContaining(REFUSED.message)])
  expect([ao.tmuxSessions(), ao.worktrees(), ao.branches(), ao.stateDirs()]).toEqual([[], [], ['main'], []])
  expect(existsSync(ao.worktree('app-1'))).toBe(false)
  expect(await ao.cleanup()).toEqual([])
})

describe.each<Kind>(['worktree', 'clone'])('a disk that cannot be synced under a %s', (kind) => {
  it('lets nobody start in it: it is rolled back, and made by the next try', async () => {
    const world = createWorld(kind)
    breakSync(world.temp.home)
    await expect(world.create('app-1')).rejects.toMatchObject(REFUSED)
    expect(world.git(world.repo, 'branch', '--list', 'feat/*')).toBe('')
    vi.unstubAllEnvs()
    const { path } = await world.create('app-1')
    expect(readRecord(path)?.state).toBe('ready')
    expect(await world.temp.cleanup()).toEqual([])
  })

  it('keeps the directory of commits that only it may hold, and the rescue that was to come back', async () => {
    const world = createWorld(kind)
    const { path } = await world.create('app-1')
    commitFile(world, path, 'done.txt', 'done\n')
    writeFileSync(join(path, 'draft.txt'), 'draft\n')
    await world.workspace.snapshot(path, 'app-1')
    breakSync(world.temp.home)
    await expect(world.workspace.destroy(path)).rejects.toMatchObject(REFUSED)
    expect(readFileSync(join(path, 'draft.txt'), 'utf8')).toBe('draft\n')
    vi.unstubAllEnvs()
    await world.workspace.destroy(path)
    expect(existsSync(path)).toBe(false)
    await world.workspace.restore(world.spec('app-1'), path)
    await world.workspace.applyRescue(path, 'app-1', world.project)
    breakSync(world.temp.home)
    const keep = () => world.workspace.keepRestored(path, 'app-1', world.project)
    await expect(keep()).rejects.toMatchObject(REFUSED)
    expect(readRecord(path)?.state).toBe('creating')
    vi.unstubAllEnvs()
    await keep()
    expect(readFileSync(join(path, 'draft.txt'), 'utf8')).toBe('draft\n')
    expect(readRecord(path)?.state).toBe('ready')
    expect(await world.temp.cleanup()).toEqual([])
  })
})

describe('a disk that cannot be synced under the local forge', () => {
  it('opens no pull request, and calls none merged until the commits and the checkout are safe', async () => {
    const world = createForgeWorld({ config: {}, checkedOut: 'main' })
    const { forge, push, git } = world
    await push('feat/1', 'a.txt', 'a\n')
    const open = () => openPull(forge, { title: 'One', body: '', head: 'feat/1' })
    breakSync(world.temp.home)
    await expect(open()).rejects.toMatchObject(REFUSED)
    expect(forge.pulls.list()).toEqual([])
    vi.unstubAllEnvs()
    const { pull } = await open()
    breakSync(world.temp.home)
    // The second try finds that the branch was moved.
    for (const _try of [1, 2]) await expect(mergePull(forge, pull.number)).rejects.toMatchObject(REFUSED)
    expect(forge.pulls.read(1)).toMatchObject({ state: 'open' })
    vi.unstubAllEnvs()
    await expect(mergePull(forge, pull.number)).rejects.toThrow('is merged')
    expect(forge.pulls.read(1)).toMatchObject({ state: 'merged', mergeCommit: git('rev-parse', 'main') })
    await world.cleanup()
  })

  it('merges nothing when git cannot compare, and does not call that two histories', async () => {
    const world = createForgeWorld({ config: {} })
    await world.push('feat/1', 'a.txt', 'a\n')
    const { env } = contextWithBrokenGit(world.temp, 'merge-base')
    const repository = { ...world.forge.repository(), env }
    const [head, base] = ['feat/1', 'main'].map((name) => world.git('rev-parse', name)) as [string, string]
    const change = { pull: { number: 1, head: 'feat/1', base: 'main' }, head, base }
    await expect(verifyChange(repository, change)).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: `git could not compare ${head} with ${base}`,
    })
    await world.cleanup()
  })
})
