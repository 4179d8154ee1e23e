import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGitRemote } from '../../../test/forges/git-remote.ts'
import { git } from '../../../test/support/git-repo.ts'
import { createTempHome } from '../../../test/support/temp-home.ts'
import { checkoutPull } from './checkout-pull.ts'

function world() {
  const temp = createTempHome()
  onTestFinished(async () => {
    expect(await temp.cleanup()).toEqual([])
  })
  const remote = createGitRemote(temp.home, temp.env)
  const head = remote.push('feat/7', 'seven.txt', '7\n')
  const workspace = join(temp.home, 'workspace')
  git(temp.home, temp.env, 'clone', '--quiet', remote.bare, workspace)
  const run = (...args: string[]) => git(workspace, temp.env, ...args)
  const checkout = (more: Partial<Parameters<typeof checkoutPull>[0]> = {}) =>
    checkoutPull({
      workspacePath: workspace,
      env: temp.env,
      label: '#7',
      repo: 'acme/app',
      branch: 'feat/7',
      forkRef: null,
      defaultBranch: 'main',
      ...more,
    })
  return { temp, remote, head, workspace, run, checkout }
}

describe('going to a pull request', () => {
  it('makes the branch, follows it, and says when it was there already', async () => {
    const { remote, head, run, checkout } = world()
    expect(await checkout()).toBe(true)
    expect([run('branch', '--show-current'), run('rev-parse', 'HEAD')]).toEqual(['feat/7', head])
    expect(run('rev-parse', '--abbrev-ref', '@{upstream}')).toBe('origin/feat/7')
    expect(await checkout()).toBe(false)
    const next = remote.push('feat/7', 'seven.txt', '77\n')
    expect(await checkout()).toBe(true)
    expect(run('rev-parse', 'HEAD')).toBe(next)
  })

  it('keeps commits that are not pushed yet', async () => {
    const { workspace, run, checkout } = world()
    await checkout()
    writeFileSync(join(workspace, 'own.txt'), 'own')
    run('add', '--all')
    run('commit', '--quiet', '--message', 'own')
    const own = run('rev-parse', 'HEAD')
    expect(await checkout()).toBe(false)
    run('switch', '--quiet', 'main')
    expect(await checkout()).toBe(true)
    expect(run('rev-parse', 'HEAD')).toBe(own)
  })

  it('fetches the head of a fork from where the forge keeps it', async () => {
    const { remote, temp, head, run, checkout } = world()
    git(remote.bare, temp.env, 'update-ref', 'refs/pull/8/head', head)
    const fork = { label: '#8', branch: 'patch-1', forkRef: 'refs/pull/8/head' }
    expect(await checkout(fork)).toBe(true)
    expect([run('branch', '--show-current'), run('rev-parse', 'HEAD')]).toEqual(['patch-1', head])
    await expect(checkout({ ...fork, branch: 'main' })).rejects.toThrow(/branch main of a fork/)
  })

  it('refuses when something is not committed, and changes nothing', async () => {
    const { workspace, run, checkout } = world()
    writeFileSync(join(workspace, 'README.md'), 'changed')
    await expect(checkout()).rejects.toMatchObject({
      code: 'WORKSPACE_NOT_SAVED',
      message: expect.stringContaining('README.md'),
    })
    expect(run('branch', '--show-current')).toBe('main')
  })

  it('refuses a branch that has gone another way, and one that another worktree has', async () => {
    const { workspace, run, checkout, temp } = world()
    await checkout()
    run('switch', '--quiet', 'main')
    run('branch', '--force', 'feat/7', run('commit-tree', '-m', 'other', 'HEAD^{tree}'))
    await expect(checkout()).rejects.toThrow(/different commits/)
    run('branch', '--force', 'feat/7', 'origin/feat/7')
    run('worktree', 'add', '--quiet', join(temp.home, 'second'), 'feat/7')
    await expect(checkout()).rejects.toMatchObject({ code: 'BRANCH_TAKEN' })
    expect(git(workspace, temp.env, 'branch', '--show-current')).toBe('main')
  })

  it('refuses a name that git or a shell could misread', async () => {
    await expect(world().checkout({ branch: '--upload-pack=evil' })).rejects.toThrow(/not a usable name/)
  })
})
