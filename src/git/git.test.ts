import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { runGit, tryGit } from './git.ts'
import { commonGitDir, locateGit, readGitLink } from './git-dir.ts'

let temp: TempHome
let repo: string
beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'repo'), temp.env)
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

describe('runGit', () => {
  it('takes nothing for done that git did not read all of', async () => {
    const bin = join(temp.home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    const env = { ...temp.env, PATH: `${bin}:${temp.env.PATH}` }
    const update = (input: string) => runGit(repo, ['update-ref', '--stdin'], { env, input })
    await expect(update('create refs/heads/one\n'.repeat(200_000))).rejects.toThrow('did not get its input')
    await expect(update('')).resolves.toBe('')
  })

  it('works on the repository at cwd, whatever an outer git left in the environment', async () => {
    const env = {
      ...temp.env,
      GIT_DIR: '/nowhere',
      GIT_WORK_TREE: '/nowhere',
      GIT_INDEX_FILE: '/nowhere/index',
      GIT_OBJECT_DIRECTORY: '/nowhere/objects',
      GIT_CONFIG_PARAMETERS: "'core.bare'='true'",
    }
    expect((await runGit(repo, ['rev-parse', '--show-toplevel'], { env })).trim()).toBe(repo)
  })

  it('reports a failure with the words of git and what was run', async () => {
    await expect(runGit(repo, ['checkout', 'nope'], { env: temp.env })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining("pathspec 'nope' did not match"),
      details: { cwd: repo, args: ['checkout', 'nope'], exitCode: 1 },
    })
  })

  it('distinguishes a missing git from a missing directory', async () => {
    const env = { ...temp.env, PATH: join(temp.home, 'empty') }
    await expect(runGit(repo, ['status'], { env })).rejects.toMatchObject({ code: 'TOOL_MISSING' })
    await expect(runGit(join(temp.home, 'gone'), ['status'], { env: temp.env })).rejects.toMatchObject({
      code: 'GIT_FAILED',
    })
  })

  it('ends a git that takes too long', async () => {
    git(repo, temp.env, 'config', 'alias.wait', '!sleep 60')
    await expect(runGit(repo, ['wait'], { env: temp.env, timeoutMs: 200 })).rejects.toThrow('did not finish in time')
  })

  it('runs hooks only when asked to', async () => {
    const hook = join(repo, '.git/hooks/post-checkout')
    mkdirSync(join(repo, '.git/hooks'), { recursive: true })
    writeFileSync(hook, '#!/bin/sh\ntouch ran\n', { mode: 0o755 })
    await runGit(repo, ['checkout', '--quiet', '-b', 'a'], { env: temp.env })
    expect(existsSync(join(repo, 'ran'))).toBe(false)
    await runGit(repo, ['checkout', '--quiet', '-b', 'b'], { env: temp.env, hooks: true })
    expect(existsSync(join(repo, 'ran'))).toBe(true)
  })

  it('never passes half of a list off as the list', async () => {
    for (let at = 0; at < 20; at++) writeFileSync(join(repo, `file-${at}`), '')
    const listing = runGit(repo, ['ls-files', '--others'], { env: temp.env, maxOutputBytes: 64 })
    await expect(listing).rejects.toThrow('printed more than 64 bytes')
  })

  it('F20 waits for a lock of another process and leaves it in place', async () => {
    const lock = join(repo, '.git/index.lock')
    writeFileSync(lock, '')
    writeFileSync(join(repo, 'new.txt'), '')
    const adding = runGit(repo, ['add', 'new.txt'], { env: temp.env })
    setTimeout(() => rmSync(lock), 150)
    await adding
    expect(git(repo, temp.env, 'status', '--porcelain')).toBe('A  new.txt')
  })

  it('F20 gives up after its time limit and names the lock', async () => {
    const lock = join(repo, '.git/index.lock')
    writeFileSync(lock, '')
    await expect(runGit(repo, ['add', '-A'], { env: temp.env, lockWaitMs: 100 })).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining(`waited for the lock ${lock}`),
      hint: `If no git process is running there, remove it: rm '${lock}'`,
    })
    expect(existsSync(lock)).toBe(true)
  })

  it('F20 waits for the lock of the configuration too', async () => {
    const lock = join(repo, '.git/config.lock')
    writeFileSync(lock, '')
    const result = await tryGit(repo, ['config', 'a.b', 'c'], { env: temp.env, lockWaitMs: 100 })
    expect(result.exitCode).not.toBe(0)
    rmSync(lock)
    await runGit(repo, ['config', 'a.b', 'c'], { env: temp.env })
  })
})

describe('locateGit', () => {
  it('finds main checkouts, worktrees, bare repositories and separate git directories', () => {
    const linked = join(temp.home, 'linked')
    git(repo, temp.env, 'worktree', 'add', '--quiet', linked)
    const bare = join(temp.home, 'bare.git')
    git(temp.home, temp.env, 'clone', '--quiet', '--bare', repo, bare)
    const apart = join(temp.home, 'apart')
    git(temp.home, temp.env, 'init', '--quiet', `--separate-git-dir=${join(temp.home, 'data')}`, apart)
    const main = join(repo, '.git')
    expect(locateGit(repo)).toEqual({ gitDir: main, commonDir: main, linked: false })
    expect(locateGit(linked)).toEqual({ gitDir: join(main, 'worktrees/linked'), commonDir: main, linked: true })
    expect(locateGit(bare)).toEqual({ gitDir: bare, commonDir: bare, linked: false })
    expect(commonGitDir(apart)).toBe(join(temp.home, 'data'))
  })

  it('finds nothing where there is nothing, in a subdirectory, or behind a broken link', () => {
    const linked = join(temp.home, 'linked')
    git(repo, temp.env, 'worktree', 'add', '--quiet', linked)
    mkdirSync(join(repo, 'sub'))
    renameSync(repo, join(temp.home, 'moved'))
    expect([temp.home, join(repo, 'sub'), join(temp.home, 'gone'), linked].map(commonGitDir)).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(readGitLink(linked)).toBe(join(repo, '.git/worktrees/linked'))
  })
})
