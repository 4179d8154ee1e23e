import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo } from '../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { readHead } from './git-dir.ts'

let temp: TempHome
let repo: string

beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'repo'), temp.env)
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, env: temp.env, encoding: 'utf8', stdio: 'pipe' }).trim()

describe('the branch and commit of a checkout', () => {
  it('is the branch and its commit, in a checkout and in a worktree, loose or packed', () => {
    const worktree = join(temp.home, 'worktree')
    git(repo, 'worktree', 'add', '-b', 'feat/a', worktree)
    writeFileSync(join(worktree, 'a.txt'), 'a')
    git(worktree, 'add', '.')
    git(worktree, 'commit', '-m', 'a')
    for (const pack of [false, true]) {
      if (pack) git(repo, 'pack-refs', '--all')
      for (const checkout of [repo, worktree]) {
        expect(readHead(checkout).branch).toBe(git(checkout, 'branch', '--show-current'))
        expect(readHead(checkout).commit).toBe(git(checkout, 'rev-parse', 'HEAD'))
      }
    }
    expect(readHead(repo).commit).not.toBe(readHead(worktree).commit)
  })

  it('is a commit alone when it is detached', () => {
    git(repo, 'checkout', '--detach')
    expect([readHead(repo).branch, readHead(repo).commit]).toEqual([null, git(repo, 'rev-parse', 'HEAD')])
  })

  it('is unknown where nothing can be read', () => {
    expect([readHead(temp.home).branch, readHead(temp.home).commit]).toEqual([null, null])
    writeFileSync(join(repo, '.git', 'HEAD'), 'ref: refs/heads/unborn\n')
    expect(readHead(repo).commit).toBeNull()
  })
})
