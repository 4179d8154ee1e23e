import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import type { ProjectConfig } from '../contract/config.ts'
import type { ProjectPaths } from '../store/paths.ts'
import { sandboxNeeds } from './sandbox-needs.ts'

let temp: TempHome
let repo: string
let paths: ProjectPaths

beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'app'), temp.env)
  const dir = join(temp.home, 'data')
  paths = {
    dir,
    sessions: join(dir, 'sessions'),
    history: join(dir, 'history'),
    locks: join(dir, 'locks'),
  } as ProjectPaths
  for (const name of ['sessions', 'history', 'locks', 'pulls', 'state', 'archive']) {
    mkdirSync(join(dir, name), { recursive: true })
  }
})
afterEach(async () => {
  await temp.cleanup()
})

const needs = (workspace: string) => sandboxNeeds(paths, { path: repo } as ProjectConfig, workspace)

it('a worktree: what git and gh write is opened; hooks, settings and the state of sessions are not', () => {
  const worktree = join(temp.home, 'wt')
  git(repo, temp.env, 'worktree', 'add', '-q', '-b', 'x', worktree)
  const own = join(repo, '.git', 'worktrees', 'wt')
  const { write, protect } = needs(worktree)
  expect(write).toEqual(expect.arrayContaining([own, join(repo, '.git', 'objects'), join(paths.dir, 'pulls')]))
  const closed = [repo, join(repo, '.git'), join(repo, '.git', 'hooks'), join(repo, '.git', 'config'), paths.dir]
  for (const path of [...closed, join(paths.dir, 'state')]) expect(write).not.toContain(path)
  expect(protect).toEqual([join(own, 'commondir'), join(own, 'gitdir')])
})

it('a clone: its own settings and hooks are protected', () => {
  const clone = join(temp.home, 'clone')
  git(temp.home, temp.env, 'clone', '-q', repo, clone)
  const { write, writeIfProtected, protect } = needs(clone)
  expect(write).not.toContain(join(clone, '.git'))
  expect(writeIfProtected).toEqual([join(clone, '.git')])
  expect(protect).toEqual(expect.arrayContaining([join(clone, '.git', 'config'), join(clone, '.git', 'hooks')]))
})

it('no repository: nothing of git is opened', () => {
  const elsewhere = join(temp.home, 'elsewhere')
  mkdirSync(elsewhere)
  const { protect } = needs(elsewhere)
  expect(protect).toEqual([])
})
