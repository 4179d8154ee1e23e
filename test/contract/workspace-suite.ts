// The contract of every git workspace: creation, removal, recreation, rollback.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../support/git-repo.ts'
import {
  commitFile,
  contextOf,
  createWorld,
  type Kind,
  openWorkspace,
  pluginOf,
  projectOf,
  type World,
} from './workspace-world.ts'

export function describeWorkspaceContract(kind: Kind, base: string): void {
  describe(`workspace ${kind}`, () => {
    let world: World
    beforeEach(() => {
      world = createWorld(kind)
    })
    afterEach(async () => {
      expect(await world.temp.cleanup()).toEqual([])
    })

    describe('create', () => {
      it('S0.2 S1.9 S2.19 gives every session its own directory on its own branch', async () => {
        const one = await world.create('app-1')
        const two = await world.create('app-2')
        expect(one).toEqual({
          path: join(world.temp.home, base, 'app', 'app-1'),
          branch: 'feat/app-1',
          sessionId: 'app-1',
          projectId: 'app',
          branchCreated: true,
        })
        expect(world.git(one.path, 'symbolic-ref', '--short', 'HEAD')).toBe('feat/app-1')
        expect(world.git(two.path, 'symbolic-ref', '--short', 'HEAD')).toBe('feat/app-2')
        writeFileSync(join(one.path, 'README.md'), 'only here\n')
        expect(readFileSync(join(two.path, 'README.md'), 'utf8')).toBe('# sample\n')
        expect(world.workspace.pathFor({ projectId: 'app', sessionId: 'app-1' })).toBe(one.path)
      })

      it('S1.63 leaves a clean tree and no file of ours in it', async () => {
        const { path } = await world.create('app-1')
        expect(world.git(path, 'status', '--porcelain', '--ignored')).toBe('')
        expect(readdirSync(path).sort()).toEqual(['.git', 'README.md'])
        expect(world.git(world.repo, 'status', '--porcelain')).toBe('')
      })

      it('starts from origin when it has the default branch, and from there even when the local one is older', async () => {
        const upstream = addOrigin(world)
        commitFile(world, upstream, 'newer.txt', 'newer\n')
        const { path } = await world.create('app-1')
        expect(existsSync(join(path, 'newer.txt'))).toBe(true)
        expect(existsSync(join(world.repo, 'newer.txt'))).toBe(false)
        expect(world.git(path, 'config', 'remote.origin.url')).toBe(upstream)
      })

      it('sets no upstream, so that a plain push cannot go to the default branch', async () => {
        addOrigin(world)
        const { path } = await world.create('app-1')
        expect(() => world.git(path, 'rev-parse', '--abbrev-ref', '@{upstream}')).toThrow()
      })

      it('fetches at most once in half a minute, and continues when the remote does not answer', async () => {
        addOrigin(world)
        await world.create('app-1')
        world.git(world.repo, 'remote', 'set-url', 'origin', join(world.temp.home, 'gone'))
        await world.create('app-2')
        expect(world.progress).toEqual([])
        makeOld(join(world.repo, '.git', 'FETCH_HEAD'))
        await world.create('app-3')
        expect(world.progress).toHaveLength(1)
        expect(world.progress[0]).toMatch(/^Could not fetch from origin, continuing with the local branches: /)
      })

      it('uses a branch that exists and is free, and does not count it as its own', async () => {
        world.git(world.repo, 'branch', 'feat/old')
        const info = await world.create('app-1', 'feat/old')
        expect(info.branchCreated).toBe(false)
        expect(world.git(info.path, 'symbolic-ref', '--short', 'HEAD')).toBe('feat/old')
      })

      it('continues a branch that only origin has', async () => {
        const upstream = addOrigin(world)
        world.git(upstream, 'checkout', '--quiet', '-b', 'feat/remote')
        commitFile(world, upstream, 'remote.txt', 'remote\n')
        const { path } = await world.create('app-1', 'feat/remote')
        expect(existsSync(join(path, 'remote.txt'))).toBe(true)
        expect(world.git(path, 'symbolic-ref', '--short', 'HEAD')).toBe('feat/remote')
      })

      it('F21 refuses a branch that is checked out elsewhere and says where', async () => {
        const first = await world.create('app-1', 'feat/x')
        await expect(world.create('app-2', 'feat/x')).rejects.toMatchObject({
          code: 'BRANCH_TAKEN',
          message: `The branch feat/x is checked out in ${first.path}`,
        })
        await expect(world.create('app-2', 'main')).rejects.toMatchObject({ code: 'BRANCH_TAKEN' })
        await expectNothingLeft(world, 'app-2')
      })

      it('S1.14 F21 never touches what is at its path already', async () => {
        const path = world.workspace.pathFor({ projectId: 'app', sessionId: 'app-1' })
        mkdirSync(path, { recursive: true })
        writeFileSync(join(path, 'mine.txt'), 'of a person\n')
        await expect(world.create('app-1')).rejects.toMatchObject({
          code: 'PATH_TAKEN',
          message: `The path ${path} is taken: it holds files that ao did not make`,
        })
        expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('of a person\n')
        expect(world.git(world.repo, 'branch', '--list', 'feat/*')).toBe('')
      })

      it('S1.13 S1.14 two checkouts with the same project id do not take each other paths', async () => {
        const other = createRepo(join(world.temp.home, 'personal', 'project'), world.env)
        const mine = await world.create('app-1')
        const theirs = world.workspace.create({ ...world.spec('app-1'), project: projectOf(other) })
        await expect(theirs).rejects.toMatchObject({ code: 'PATH_TAKEN' })
        expect(await world.workspace.exists(mine.path, world.project)).toBe(true)
        expect(await world.workspace.exists(mine.path, projectOf(other))).toBe(false)
        const restoring = world.workspace.restore({ ...world.spec('app-1'), project: projectOf(other) }, mine.path)
        await expect(restoring).rejects.toMatchObject({ code: 'PATH_TAKEN' })
        await world.workspace.undoCreate({ ...mine, branchCreated: true }, projectOf(other))
        expect(await world.workspace.exists(mine.path)).toBe(true)
        expect(world.git(other, 'branch', '--list', 'feat/*')).toBe('')
        const next = await world.workspace.create({ ...world.spec('app-2'), project: projectOf(other) })
        expect(await world.workspace.list('app', world.project)).toMatchObject([{ sessionId: 'app-1' }])
        expect(await world.workspace.list('app', projectOf(other))).toMatchObject([
          { sessionId: 'app-2', path: next.path },
        ])
      })

      it.each(['../up', 'a/b', 'a b', '', '.hidden', '-x/..'])('refuses the session id %j', async (sessionId) => {
        await expect(async () => world.create(sessionId)).rejects.toMatchObject({ code: 'WORKSPACE_FAILED' })
      })

      it.each(['--detach', 'a..b', '', 'x y', '@{u}'])('refuses the branch %j', async (branch) => {
        await expect(world.create('app-1', branch)).rejects.toMatchObject({ code: 'WORKSPACE_FAILED' })
      })

      it('names the branches there are when the default branch is none of them', async () => {
        world.git(world.repo, 'branch', '-m', 'main', 'trunk')
        await expect(world.create('app-1')).rejects.toMatchObject({
          code: 'WORKSPACE_FAILED',
          message: 'There is no branch main to start from; there are: trunk',
        })
      })

      it('says what is wrong with a directory that is not a repository, and with an empty repository', async () => {
        const plain = join(world.temp.home, 'plain')
        mkdirSync(plain)
        const spec = world.spec('app-1', 'feat/x', { path: plain })
        await expect(world.workspace.create(spec)).rejects.toThrow('is not a git repository')
        world.git(plain, 'init', '--quiet')
        await expect(world.workspace.create(spec)).rejects.toThrow('has no commit yet')
      })

      it('works in a repository whose path and branch hold quotes, spaces and unicode', async () => {
        const odd = createRepo(join(world.temp.home, `it's "ödd" $HOME`), world.env, { 'späß/-x': 'x\n' })
        const info = await world.workspace.create(world.spec('app-1', `feat/it's-ödd"$(id)`, { path: odd }))
        expect(readFileSync(join(info.path, 'späß/-x'), 'utf8')).toBe('x\n')
        writeFileSync(join(info.path, '-y'), 'y\n')
        expect(await world.workspace.snapshot(info.path, 'app-1')).not.toBeNull()
        await world.workspace.destroy(info.path)
      })

      it('is not misled by the environment of an outer git', async () => {
        const env = { ...world.env, GIT_DIR: '/nowhere', GIT_WORK_TREE: '/nowhere', GIT_INDEX_FILE: '/nowhere/index' }
        const workspace = openWorkspace(kind, { ...contextOf(world.temp), env })
        const { path } = await workspace.create(world.spec('app-1'))
        expect(git(path, world.env, 'status', '--porcelain')).toBe('')
      })

      it('leaves nothing behind when it fails half-way', async () => {
        // The branch is made, then the checkout meets a filter that fails.
        commitFile(world, world.repo, '.gitattributes', '*.md filter=broken\n')
        world.git(world.repo, 'config', '--global', 'filter.broken.smudge', 'false')
        world.git(world.repo, 'config', '--global', 'filter.broken.required', 'true')
        await expect(world.create('app-1')).rejects.toMatchObject({ code: 'GIT_FAILED' })
        await expectNothingLeft(world, 'app-1')
      })
    })

    describe('destroy', () => {
      it('S2.64 removes the directory and keeps the branch', async () => {
        const { path } = await world.create('app-1')
        commitFile(world, path, 'done.txt', 'done\n')
        await world.workspace.snapshot(path, 'app-1')
        await world.workspace.destroy(path)
        expect(existsSync(path)).toBe(false)
        expect(await world.workspace.exists(path)).toBe(false)
        expect(world.git(world.repo, 'log', '-1', '--format=%s', 'feat/app-1')).toBe('done.txt')
        expect(readdirSync(dirname(path))).toEqual([])
      })

      it('is a success when nothing is there, and when only the directory is gone', async () => {
        await world.workspace.destroy(world.workspace.pathFor({ projectId: 'app', sessionId: 'app-9' }))
        const { path } = await world.create('app-1')
        await removeByHand(path)
        await world.workspace.destroy(path)
        await world.workspace.destroy(path)
        expect(world.git(world.repo, 'worktree', 'list').split('\n')).toHaveLength(1)
        expect(readdirSync(dirname(path))).toEqual([])
      })

      it('S2.28 S2.65 refuses the project itself and every directory that ao did not make', async () => {
        const plain = join(world.temp.home, base, 'app', 'app-7')
        mkdirSync(plain, { recursive: true })
        writeFileSync(join(plain, 'mine.txt'), 'mine\n')
        const foreign = createRepo(join(world.temp.home, base, 'app', 'app-8'), world.env)
        for (const path of [world.repo, plain, foreign, world.temp.home]) {
          await expect(world.workspace.destroy(path)).rejects.toMatchObject({ code: 'WORKSPACE_FAILED' })
        }
        expect(existsSync(join(world.repo, 'README.md'))).toBe(true)
        expect(existsSync(join(plain, 'mine.txt'))).toBe(true)
        expect(existsSync(join(foreign, 'README.md'))).toBe(true)
      })

      it('does not follow a link in the place of a workspace', async () => {
        const { path } = await world.create('app-1')
        const link = world.workspace.pathFor({ projectId: 'app', sessionId: 'app-2' })
        symlinkSync(path, link)
        await expect(world.workspace.destroy(link)).rejects.toThrow('it is a symbolic link')
        expect(await world.workspace.exists(path)).toBe(true)
      })

      it('S2.28 taking back a session that ran in the project itself removes nothing', async () => {
        const info = { path: world.repo, branch: 'main', sessionId: 'app-1', projectId: 'app', branchCreated: true }
        await world.workspace.undoCreate(info, world.project)
        expect(existsSync(join(world.repo, 'README.md'))).toBe(true)
        expect(world.git(world.repo, 'symbolic-ref', '--short', 'HEAD')).toBe('main')
      })
    })

    describe('undoCreate', () => {
      it('S2.26 removes the workspace and the branch that was made for it', async () => {
        const info = await world.create('app-1')
        await world.workspace.undoCreate(info, world.project)
        await expectNothingLeft(world, 'app-1')
      })

      it('keeps a branch that existed before, and one that has a commit', async () => {
        world.git(world.repo, 'branch', 'feat/old')
        await world.workspace.undoCreate(await world.create('app-1', 'feat/old'), world.project)
        expect(world.git(world.repo, 'branch', '--list', 'feat/old')).toContain('feat/old')
        const info = await world.create('app-2')
        commitFile(world, info.path, 'done.txt', 'done\n')
        await world.workspace.snapshot(info.path, 'app-2')
        await world.workspace.undoCreate(info, world.project)
        expect(world.git(world.repo, 'log', '-1', '--format=%s', 'feat/app-2')).toBe('done.txt')
      })
    })

    describe('restore', () => {
      it('S0.73 S2.59 makes a missing workspace again on its branch', async () => {
        const { path } = await world.create('app-1')
        commitFile(world, path, 'done.txt', 'done\n')
        await world.workspace.snapshot(path, 'app-1')
        await world.workspace.destroy(path)
        const info = await world.workspace.restore(world.spec('app-1'), path)
        expect(info).toMatchObject({ path, branch: 'feat/app-1', branchCreated: false })
        expect(readFileSync(join(path, 'done.txt'), 'utf8')).toBe('done\n')
      })

      it('S0.73 does so too when the directory was deleted by hand', async () => {
        const { path } = await world.create('app-1')
        await world.workspace.snapshot(path, 'app-1')
        await removeByHand(path)
        expect(await world.workspace.exists(path)).toBe(false)
        await world.workspace.restore(world.spec('app-1'), path)
        expect(world.git(path, 'symbolic-ref', '--short', 'HEAD')).toBe('feat/app-1')
      })

      it('leaves a workspace alone that is still there', async () => {
        const { path } = await world.create('app-1')
        writeFileSync(join(path, 'new.txt'), 'new\n')
        await world.workspace.restore(world.spec('app-1'), path)
        expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n')
      })

      it('finds the commits of a branch that was deleted in the rescue of its session', async () => {
        const { path } = await world.create('app-1')
        commitFile(world, path, 'done.txt', 'done\n')
        writeFileSync(join(path, 'new.txt'), 'new\n')
        await world.workspace.snapshot(path, 'app-1')
        await world.workspace.destroy(path)
        world.git(world.repo, 'branch', '-D', 'feat/app-1')
        await world.workspace.restore(world.spec('app-1'), path)
        await world.workspace.applyRescue(path, 'app-1', world.project)
        expect(readFileSync(join(path, 'done.txt'), 'utf8')).toBe('done\n')
        expect(world.git(path, 'status', '--porcelain')).toBe('?? new.txt')
      })

      it('S0.74 throws when there is nothing to make it from', async () => {
        const spec = world.spec('app-1', 'feat/gone', { defaultBranch: 'gone-too' })
        const path = world.workspace.pathFor({ projectId: 'app', sessionId: 'app-1' })
        await expect(world.workspace.restore(spec, path)).rejects.toMatchObject({ code: 'WORKSPACE_FAILED' })
        expect(existsSync(path)).toBe(false)
      })
    })

    it('lists the workspaces of a project, without those of others', async () => {
      expect(await world.workspace.list('app', world.project)).toEqual([])
      const one = await world.create('app-1')
      const two = await world.create('app-2')
      await world.workspace.destroy(two.path)
      expect(await world.workspace.list('app', world.project)).toEqual([one])
      expect(await world.workspace.list('other', world.project)).toEqual([])
    })

    it('knows whether a branch is there', async () => {
      expect(await world.workspace.hasBranch(world.project, 'main')).toBe(true)
      expect(await world.workspace.hasBranch(world.project, 'feat/none')).toBe(false)
      world.git(world.repo, 'pack-refs', '--all')
      expect(await world.workspace.hasBranch(world.project, 'main')).toBe(true)
      expect(await world.workspace.hasBranch(world.project, 'mai')).toBe(false)
    })

    it('says whether this machine has a git that is new enough', async () => {
      const context = contextOf(world.temp)
      expect(await pluginOf(kind).detect?.(context)).toMatchObject({
        ok: true,
        detail: expect.stringMatching(/^git version/),
      })
      const bin = join(world.temp.home, 'old-bin')
      mkdirSync(bin)
      writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.25.1\n', { mode: 0o755 })
      const detected = await pluginOf(kind).detect?.({ ...context, env: { ...context.env, PATH: bin } })
      expect(detected).toMatchObject({ ok: false, detail: 'git version 2.25.1 is older than 2.34' })
    })

    it('refuses options that it does not know', () => {
      const open = (config: Record<string, unknown>) => () => openWorkspace(kind, contextOf(world.temp), config)
      expect(open({ dir: '/x' })).toThrow(/it has no option dir \(there are: /)
      expect(open({ [kind === 'worktree' ? 'worktreeDir' : 'cloneDir']: 3 })).toThrow(/must be a directory's path/)
    })
  })
}

/** A repository that the project has as origin. */
function addOrigin(world: World): string {
  const upstream = join(world.temp.home, 'upstream')
  world.git(world.temp.home, 'clone', '--quiet', world.repo, upstream)
  world.git(world.repo, 'remote', 'add', 'origin', upstream)
  return upstream
}

function makeOld(file: string): void {
  const before = new Date(Date.now() - 60_000)
  utimesSync(file, before, before)
}

async function removeByHand(path: string): Promise<void> {
  await rm(path, { recursive: true })
}

async function expectNothingLeft(world: World, sessionId: string): Promise<void> {
  const path = world.workspace.pathFor({ projectId: 'app', sessionId })
  expect(existsSync(path)).toBe(false)
  expect(readdirSync(dirname(path)).filter((name) => name.includes(sessionId))).toEqual([])
  expect(world.git(world.repo, 'worktree', 'list', '--porcelain')).not.toContain(sessionId)
  expect(world.git(world.repo, 'branch', '--list', `feat/${sessionId}`)).toBe('')
}
