// What was rescued comes back once, at the right time and to the right session, or not at all and with its name.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../src/lib/log.ts'
import type { ManagerContext } from '../../src/manager/context.ts'
import { restoreWorkspace, type WantedWorkspace } from '../../src/manager/launch/restore-workspace.ts'
import { createUndo } from '../../src/manager/launch/undo.ts'
import type { Rescue } from '../../src/slots/workspace.ts'
import { THOROUGH } from '../support/cover.ts'
import { createRepo } from '../support/git-repo.ts'
import { DIRTY_STATES, finishRebase, START_FILES } from './dirty-states.ts'
import {
  commitFile,
  contextWithBrokenGit,
  createWorld,
  type Kind,
  openWorkspace,
  type World,
} from './workspace-world.ts'

// Both share what is tried here; clones have tests of their own beside this.
for (const kind of THOROUGH ? (['worktree', 'clone'] satisfies Kind[]) : (['worktree'] satisfies Kind[])) {
  describe(`rescue of a ${kind}`, () => {
    let world: World
    beforeEach(() => {
      world = createWorld(kind, { files: START_FILES })
    })
    afterEach(async () => {
      expect(await world.temp.cleanup()).toEqual([])
    })

    it('S0.68 a rebase continues after kill and restore', async () => {
      const { path } = await world.create('app-1')
      DIRTY_STATES.find((one) => one.name.includes('rebase'))!.make(path, (...args) => world.git(path, ...args))
      await world.workspace.snapshot(path, 'app-1')
      await world.workspace.destroy(path)
      await world.workspace.restore(world.spec('app-1'), path)
      await bringBack(world, path)
      expect(finishRebase(path, world.env)).toBe('ours\ntheirs\nfirst')
      expect(world.git(path, 'symbolic-ref', '--short', 'HEAD')).toBe('feat/app-1')
    })

    it('finds nothing to save in a clean workspace, with commits or without', async () => {
      const { path } = await world.create('app-1')
      expect(await world.workspace.snapshot(path, 'app-1')).toBeNull()
      commitFile(world, path, 'done.txt', 'done\n')
      expect(await world.workspace.snapshot(path, 'app-1')).toBeNull()
      expect(world.git(world.repo, 'log', '-1', '--format=%s', 'feat/app-1')).toBe('done.txt')
    })

    it('saves the same state once, and a new state under the next number', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(path, 'new.txt'), '1\n')
      const first = await world.workspace.snapshot(path, 'app-1')
      expect(await world.workspace.snapshot(path, 'app-1')).toEqual(first)
      writeFileSync(join(path, 'new.txt'), '2\n')
      const second = await world.workspace.snapshot(path, 'app-1')
      expect(second?.ref).toBe('refs/ao/rescue/app-1/2')
      expect(world.git(world.repo, 'show', 'refs/ao/rescue/app-1/1:new.txt')).toBe('1')
    })

    it('needs no identity of the user', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(world.temp.home, '.gitconfig'), '[user]\n\tuseConfigOnly = true\n[commit]\n\tgpgSign = true\n')
      writeFileSync(join(path, 'new.txt'), 'new\n')
      expect(await world.workspace.snapshot(path, 'app-1')).not.toBeNull()
    })

    it('does not bring back twice what came back once', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(path, 'new.txt'), 'draft\n')
      await cycle(world, path)
      expect(await bringBack(world, path)).not.toBeNull()
      commitFile(world, path, 'new.txt', 'final\n')
      await cycle(world, path)
      expect(await bringBack(world, path)).toBeNull()
      expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('final\n')
    })

    it('saves anew what came back and was not touched since', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(path, 'new.txt'), 'draft\n')
      for (const number of [1, 2, 3]) {
        await cycle(world, path)
        const rescue = await bringBack(world, path)
        expect(rescue?.ref).toBe(`refs/ao/rescue/app-1/${number}`)
        expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('draft\n')
      }
    })

    it('never gives the work of an earlier session to a new one with the same id', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(path, 'new.txt'), 'of the old one\n')
      await world.workspace.snapshot(path, 'app-1')
      await world.workspace.destroy(path)
      await world.create('app-1', 'feat/something-else')
      expect(await bringBack(world, path)).toBeNull()
      expect(world.git(world.repo, 'show', 'refs/ao/rescue/app-1/1:new.txt')).toBe('of the old one')
    })

    it('what a failed restore leaves does not replace the rescued work', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(path, 'new.txt'), 'precious\n')
      await cycle(world, path)
      writeFileSync(join(path, 'generated.txt'), 'by a postCreate command\n')
      await cycle(world, path)
      const rescue = await bringBack(world, path)
      expect(rescue?.ref).toBe('refs/ao/rescue/app-1/1')
      expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('precious\n')
    })

    it('carries changes along that postCreate made before the work came back', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(path, 'new.txt'), 'precious\n')
      await cycle(world, path)
      writeFileSync(join(path, 'generated.txt'), 'by a postCreate command\n')
      writeFileSync(join(path, 'README.md'), 'by a postCreate command\n')
      await bringBack(world, path)
      expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('precious\n')
      expect(readFileSync(join(path, 'generated.txt'), 'utf8')).toBe('by a postCreate command\n')
      expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('by a postCreate command\n')
    })

    it('merges the work when the branch moved on meanwhile', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(path, 'src/b.txt'), 'mine\n')
      writeFileSync(join(path, 'new.txt'), 'new\n')
      await removeAndMoveBranch(world, path, 'README.md')
      await world.workspace.restore(world.spec('app-1'), path)
      await bringBack(world, path)
      expect(world.git(path, 'status', '--porcelain')).toBe('M src/b.txt\n?? new.txt')
      expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('moved on\n')
    })

    it('leaves a clean workspace and names the ref when the work no longer applies', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(path, 'README.md'), 'mine\n')
      await removeAndMoveBranch(world, path, 'README.md')
      await world.workspace.restore(world.spec('app-1'), path)
      const applying = world.workspace.applyRescue(path, 'app-1', world.project)
      await expect(applying).rejects.toMatchObject({
        code: 'RESCUE_CONFLICT',
        message: expect.stringContaining('refs/ao/rescue/app-1/1 does not fit onto it: conflicts in README.md'),
        hint: expect.stringContaining('cherry-pick --no-commit -m 1 refs/ao/rescue/app-1/1'),
      })
      expect(world.git(path, 'status', '--porcelain')).toBe('')
      expect(world.git(world.repo, 'show', 'refs/ao/rescue/app-1/1:README.md')).toBe('mine')
    })

    it('overwrites no file in its way', async () => {
      const { path } = await world.create('app-1')
      writeFileSync(join(path, 'new.txt'), 'rescued\n')
      await world.workspace.snapshot(path, 'app-1')
      await world.workspace.destroy(path)
      // Without a mark of an unfinished restore, everything in the workspace counts as someone's work.
      await world.create('app-2', 'feat/app-1')
      const other = world.workspace.pathFor({ projectId: 'app', sessionId: 'app-2' })
      writeFileSync(join(other, 'new.txt'), 'somebody else\n')
      await expect(world.workspace.applyRescue(other, 'app-1', world.project)).rejects.toThrow('new.txt')
      expect(readFileSync(join(other, 'new.txt'), 'utf8')).toBe('somebody else\n')
    })

    it('S0.69 refuses when a repository inside the workspace would be lost', async () => {
      const { path } = await world.create('app-1')
      const refusal = {
        code: 'WORKSPACE_NOT_SAVED',
        message: `The work in ${path} could not be saved: vendor/inner is a repository of its own`,
        hint: `Move it out: mv '${path}/vendor/inner' ~/, and try again; nothing was removed`,
      }
      world.git(path, 'init', '--quiet', 'vendor/inner')
      await expect(world.workspace.snapshot(path, 'app-1')).rejects.toMatchObject(refusal)
      commitFile(world, join(path, 'vendor/inner'), 'x.txt', 'x\n')
      await expect(world.workspace.snapshot(path, 'app-1')).rejects.toMatchObject(refusal)
      expect(world.git(world.repo, 'for-each-ref', 'refs/ao')).toBe('')
    })

    it.each([
      ['a nested repository whose HEAD is damaged', 'HEAD', 'rubbish'],
      ['a directory called .git that holds something else', 'notes.txt', 'notes'],
      ['a nested .git with files nowhere else', 'objects/ab/cdef', 'a commit'],
    ])('S0.69 refuses %s, because git would pass over it', async (_what, file, content) => {
      const { path } = await world.create('app-1')
      const inner = join(path, 'vendor', 'inner')
      if (file === 'HEAD') {
        world.git(path, 'init', '--quiet', 'vendor/inner')
        commitFile(world, inner, 'x.txt', 'x\n')
      }
      mkdirSync(dirname(join(inner, '.git', file)), { recursive: true })
      writeFileSync(join(inner, '.git', file), content)
      await expect(world.workspace.snapshot(path, 'app-1')).rejects.toMatchObject({
        code: 'WORKSPACE_NOT_SAVED',
        message: expect.stringContaining('vendor/inner'),
      })
      expect(readFileSync(join(inner, '.git', file), 'utf8')).toBe(content)
    })

    it('does not read what is ignored', async () => {
      const { path } = await world.create('app-1')
      mkdirSync(join(path, 'build', 'dep', '.git'), { recursive: true })
      expect(await world.workspace.snapshot(path, 'app-1')).toBeNull()
    })

    it('S0.69 refuses when a submodule contains work, and continues when it does not', async () => {
      const library = createRepo(join(world.temp.home, 'library'), world.env)
      const allow = ['-c', 'protocol.file.allow=always']
      world.git(world.repo, ...allow, 'submodule', '--quiet', 'add', library, 'lib')
      world.git(world.repo, 'commit', '--quiet', '-m', 'lib')
      const { path } = await world.create('app-1')
      expect(await world.workspace.snapshot(path, 'app-1')).toBeNull()
      world.git(path, ...allow, 'submodule', '--quiet', 'update', '--init')
      expect(await world.workspace.snapshot(path, 'app-1')).toBeNull()
      writeFileSync(join(path, 'lib', 'README.md'), 'changed\n')
      await expect(world.workspace.snapshot(path, 'app-1')).rejects.toThrow('lib are submodules with changes')
      world.git(join(path, 'lib'), 'commit', '--quiet', '-am', 'not pushed')
      await expect(world.workspace.snapshot(path, 'app-1')).rejects.toMatchObject({ code: 'WORKSPACE_NOT_SAVED' })
      world.git(join(path, 'lib'), 'push', '--quiet', 'origin', 'HEAD:refs/heads/pushed')
      expect(await world.workspace.snapshot(path, 'app-1')).not.toBeNull()
    })

    it('S0.69 refuses when the branch was deleted under HEAD, and says how to make it again', async () => {
      const { path } = await world.create('app-1')
      commitFile(world, path, 'done.txt', 'done\n')
      const tip = world.git(path, 'rev-parse', 'HEAD')
      world.git(path, 'update-ref', '-d', 'refs/heads/feat/app-1')
      await expect(world.workspace.snapshot(path, 'app-1')).rejects.toMatchObject({
        code: 'WORKSPACE_NOT_SAVED',
        hint: expect.stringContaining(`git -C '${path}' branch feat/app-1 ${tip}`),
      })
      world.git(path, 'branch', 'feat/app-1', tip)
      expect(await world.workspace.snapshot(path, 'app-1')).toBeNull()
    })

    it('S0.67 saves a branch that has no commit yet', async () => {
      const { path } = await world.create('app-1')
      world.git(path, 'checkout', '--quiet', '--orphan', 'fresh')
      world.git(path, 'rm', '--quiet', '-rf', '.')
      writeFileSync(join(path, 'start.txt'), 'start\n')
      const rescue = await world.workspace.snapshot(path, 'app-1')
      expect(world.git(world.repo, 'ls-tree', '--name-only', rescue!.ref)).toBe('start.txt')
      await world.workspace.destroy(path)
      await world.workspace.restore(world.spec('app-1'), path)
      await bringBack(world, path)
      expect(readFileSync(join(path, 'start.txt'), 'utf8')).toBe('start\n')
    })

    it('S0.69 refuses when the index cannot be read', async () => {
      const { path } = await world.create('app-1')
      const index = world.git(path, 'rev-parse', '--absolute-git-dir')
      writeFileSync(join(index, 'index'), 'not an index')
      await expect(world.workspace.snapshot(path, 'app-1')).rejects.toMatchObject({ code: 'WORKSPACE_NOT_SAVED' })
    })

    it.each(['add', 'write-tree', 'commit-tree', 'update-ref'])(
      'S0.69 refuses when git %s meets a full disk, and leaves no ref',
      async (command) => {
        const { path } = await world.create('app-1')
        writeFileSync(join(path, 'new.txt'), 'new\n')
        const workspace = openWorkspace(kind, contextWithBrokenGit(world.temp, command))
        const saving = workspace.snapshot(path, 'app-1')
        await expect(saving).rejects.toMatchObject({ code: 'WORKSPACE_NOT_SAVED' })
        await expect(saving).rejects.toThrow('No space left on device')
        expect(world.git(world.repo, 'for-each-ref', 'refs/ao')).toBe('')
        expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n')
        expect(await world.workspace.snapshot(path, 'app-1')).not.toBeNull()
      },
    )

    it('S0.69 refuses when git could not read a directory, which to git is only a warning', async () => {
      const { path } = await world.create('app-1')
      const warning = "echo 'warning: could not open directory locked/: Permission denied' >&2"
      const workspace = openWorkspace(kind, contextWithBrokenGit(world.temp, 'add', warning))
      await expect(workspace.snapshot(path, 'app-1')).rejects.toMatchObject({
        code: 'WORKSPACE_NOT_SAVED',
        message: expect.stringContaining('locked/: Permission denied'),
      })
    })

    it('a workspace that is gone has nothing to save', async () => {
      expect(await world.workspace.snapshot(join(world.temp.home, 'nowhere'), 'app-1')).toBeNull()
      expect(await world.workspace.applyRescue(world.repo, 'app-1', world.project)).toBeNull()
    })
  })
}

for (const kind of ['worktree', 'clone'] satisfies Kind[]) {
  it(`a ${kind} of a place’s work is made again at home without asking a server that the agent names`, async () => {
    const world = createWorld(kind)
    const requests = join(world.temp.home, 'requests')
    const smudge = join(world.temp.home, 'smudge')
    const script = `#!/bin/sh\n[ "$GIT_LFS_SKIP_SMUDGE" = 1 ] || echo "$1" >> '${requests}'\ncat\n`
    writeFileSync(smudge, script, { mode: 0o755 })
    const { path } = await world.create('app-1')
    commitFile(world, path, '.lfsconfig', '[lfs]\n\turl = http://evil.invalid\n')
    commitFile(world, path, '.gitattributes', '*.bin filter=lfs\n')
    commitFile(world, path, 'a.bin', 'version https://git-lfs.github.com/spec/v1\n')
    writeFileSync(join(path, 'b.bin'), 'version https://git-lfs.github.com/spec/v1\n')
    await world.workspace.snapshot(path, 'app-1')
    await world.workspace.destroy(path)
    const filter = `[filter "lfs"]\n\tclean = cat\n\tsmudge = ${smudge} %f\n\trequired = true\n`
    appendFileSync(join(world.temp.home, '.gitconfig'), filter)
    const paths = { project: () => ({ stateDir: () => join(world.temp.home, 'state') }) }
    await restoreWorkspace({ paths } as unknown as ManagerContext, world.workspace, {
      project: world.project,
      sessionId: 'app-1',
      stored: { record: { branch: 'feat/app-1', place: 'there' } } as unknown as WantedWorkspace['stored'],
      path,
      variables: {},
      undo: createUndo(silentLog),
      onProgress: () => undefined,
      onNotice: (line) => expect(line).toBe(''),
    })
    expect(readdirSync(path)).toEqual(expect.arrayContaining(['a.bin', 'b.bin']))
    expect(existsSync(requests) && readFileSync(requests, 'utf8')).toBe(false)
    await world.workspace.snapshot(path, 'app-1')
    expect(existsSync(requests)).toBe(false)
    expect(await world.temp.cleanup()).toEqual([])
  })
}

/** The second half of a restore. */
async function bringBack(world: World, path: string): Promise<Rescue | null> {
  const rescue = await world.workspace.applyRescue(path, 'app-1', world.project)
  await world.workspace.keepRestored(path, 'app-1', world.project)
  return rescue
}

/** Kill with everything, then the first half of a restore. */
async function cycle(world: World, path: string): Promise<void> {
  await world.workspace.snapshot(path, 'app-1')
  await world.workspace.destroy(path)
  await world.workspace.restore(world.spec('app-1'), path)
}

async function removeAndMoveBranch(world: World, path: string, file: string): Promise<void> {
  await world.workspace.snapshot(path, 'app-1')
  await world.workspace.destroy(path)
  world.git(world.repo, 'checkout', '--quiet', 'feat/app-1')
  commitFile(world, world.repo, file, 'moved on\n')
  world.git(world.repo, 'checkout', '--quiet', 'main')
}
