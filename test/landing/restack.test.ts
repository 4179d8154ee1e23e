// A branch with its worktree onto what the work below has become: real git, and every way it can be interrupted or resisted.
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRepository } from '../../src/git/repository.ts'
import { carryOut, planMove, pushMoved, type StackedBranch } from '../../src/landing/restack.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

const BRANCH = 'work/ünï-$(touch${IFS}x)`y`;z'

let temp: TempHome
let repo: string
let worktree: string
let of: StackedBranch

const inRepo = (...args: string[]) => git(repo, temp.env, ...args)
const inTree = (...args: string[]) => git(worktree, temp.env, ...args)
const commit = (directory: string, file: string, text: string) => {
  writeFileSync(join(directory, file), text)
  git(directory, temp.env, 'add', file)
  git(directory, temp.env, 'commit', '--quiet', '--message', file)
  return git(directory, temp.env, 'rev-parse', 'HEAD')
}

beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'repo'), temp.env, { shared: 'a\nb\nc\n' })
  inRepo('checkout', '--quiet', '-b', 'below')
  commit(repo, 'one', '1\n')
  worktree = join(temp.home, 'above')
  inRepo('worktree', 'add', '--quiet', '-b', BRANCH, worktree, 'below')
  of = { repository: openRepository(repo, temp.env), sessionId: 'app-2', branch: BRANCH, worktree }
})

afterEach(async () => expect(await temp.cleanup()).toEqual([]))

const plan = (at: string, onto = inRepo('rev-parse', 'below')) =>
  planMove(of, { at, onto, from: inTree('rev-parse', 'HEAD') })

describe('a restack', () => {
  it('takes its own commits along, whatever was rewritten below, and keeps what was not committed', async () => {
    const at = inRepo('rev-parse', 'below')
    commit(worktree, 'two', '2\n')
    inRepo('commit', '--quiet', '--amend', '--message', 'one, again')
    const onto = commit(repo, 'more', 'm\n')
    writeFileSync(join(worktree, 'two'), 'changed\n')
    writeFileSync(join(worktree, 'staged'), 'staged\n')
    writeFileSync(join(worktree, 'draft'), 'draft\n')
    inTree('add', 'staged')
    const before = inTree('status', '--porcelain')
    const planned = await plan(at)
    if (planned.kind !== 'move') throw new Error(planned.kind)
    // Nothing is touched by planning.
    expect(inTree('rev-parse', 'HEAD')).toBe(planned.move.from)
    expect(await carryOut(of, planned.move)).toEqual({ kind: 'done' })
    expect(inTree('log', '--format=%s', `${onto}..HEAD`)).toBe('two')
    expect(inTree('symbolic-ref', 'HEAD')).toBe(`refs/heads/${BRANCH}`)
    expect(inTree('status', '--porcelain')).toBe(before)
    expect(readFileSync(join(worktree, 'more'), 'utf8')).toBe('m\n')
    expect(inRepo('show', 'refs/ao/restack/app-2:two')).toBe('changed')
    // Asked again, it is done.
    expect(await carryOut(of, planned.move)).toEqual({ kind: 'done' })
    expect(existsSync(join(repo, 'x')) || existsSync(join(worktree, 'x'))).toBe(false)
  })

  it('is carried out from wherever a process died', async () => {
    const at = inRepo('rev-parse', 'below')
    commit(worktree, 'two', '2\n')
    commit(repo, 'more', 'm\n')
    writeFileSync(join(worktree, 'two'), 'changed\n')
    const planned = await plan(at)
    if (planned.kind !== 'move') throw new Error(planned.kind)
    // After the files, before the branch.
    inTree('read-tree', '-m', '-u', planned.move.from, planned.move.to)
    expect(await carryOut(of, planned.move)).toEqual({ kind: 'done' })
    expect(inTree('status', '--porcelain')).toBe('M two')
    expect(inTree('rev-parse', 'HEAD')).toBe(planned.move.to)
  })

  it('changes nothing when its agent was faster', async () => {
    const at = inRepo('rev-parse', 'below')
    commit(worktree, 'two', '2\n')
    commit(repo, 'more', 'm\n')
    const planned = await plan(at)
    if (planned.kind !== 'move') throw new Error(planned.kind)
    const head = commit(worktree, 'three', '3\n')
    expect(await carryOut(of, planned.move)).toEqual({ kind: 'moved' })
    expect(inTree('rev-parse', 'HEAD')).toBe(head)
    expect(existsSync(join(worktree, 'more'))).toBe(false)
  })

  it('names the files of a conflict and leaves nothing half-done', async () => {
    const at = inRepo('rev-parse', 'below')
    commit(worktree, 'shared', 'a\nabove\nc\n')
    commit(repo, 'shared', 'a\nbelow\nc\n')
    const head = inTree('rev-parse', 'HEAD')
    expect(await plan(at)).toEqual({ kind: 'conflict', files: ['shared'] })
    expect([inTree('rev-parse', 'HEAD'), inTree('status', '--porcelain')]).toEqual([head, ''])
  })

  it('leaves files alone whose uncommitted content is in the way', async () => {
    const at = inRepo('rev-parse', 'below')
    commit(repo, 'shared', 'a\nbelow\nc\n')
    writeFileSync(join(worktree, 'shared'), 'mine\n')
    expect(await plan(at)).toMatchObject({ kind: 'unable', why: expect.stringContaining('uncommitted work') })
    rmSync(join(worktree, 'shared'))
    inTree('checkout', '--quiet', '--', 'shared')
    commit(repo, 'new', 'below\n')
    writeFileSync(join(worktree, 'new'), 'mine, and not added\n')
    expect(await plan(at)).toMatchObject({ kind: 'unable' })
    expect(readFileSync(join(worktree, 'new'), 'utf8')).toBe('mine, and not added\n')
  })

  it.each<[string, () => void]>([
    ['is on another branch', () => inTree('checkout', '--quiet', '-b', 'elsewhere')],
    ['is in the middle of a merge', () => writeFileSync(inTree('rev-parse', '--git-path', 'MERGE_HEAD'), 'x')],
    ['is gone', () => rmSync(worktree, { recursive: true })],
  ])('is not done where the worktree %s', async (_, make) => {
    const at = inRepo('rev-parse', 'below')
    commit(repo, 'more', 'm\n')
    const from = inTree('rev-parse', 'HEAD')
    make()
    const onto = inRepo('rev-parse', 'below')
    expect(await planMove(of, { at, onto, from })).toMatchObject({ kind: 'unable' })
    expect(inRepo('rev-parse', BRANCH)).toBe(from)
  })

  it('is not done onto a history that has nothing in common with it', async () => {
    const at = inRepo('rev-parse', 'below')
    commit(worktree, 'two', '2\n')
    inRepo('checkout', '--quiet', '--orphan', 'stranger')
    inRepo('commit', '--quiet', '--message', 'stranger')
    expect(await plan(at, inRepo('rev-parse', 'stranger'))).toMatchObject({ kind: 'unable' })
  })
})

describe('the push after a restack', () => {
  let bare: string
  let at: string
  const there = () => git(bare, temp.env, 'rev-parse', `refs/heads/${BRANCH}`)
  /** Somebody else's commit on its branch. */
  const foreignOn = (commit: string) => {
    inRepo('checkout', '--quiet', '--detach', commit)
    const theirs = commitIn(repo, 'theirs')
    inRepo('push', '--quiet', '--force', bare, `${theirs}:refs/heads/${BRANCH}`)
    return theirs
  }
  const commitIn = (directory: string, file: string) => commit(directory, file, `${file}\n`)
  /** Carried out, and not pushed yet. */
  const restacked = async () => {
    commitIn(repo, 'more')
    const planned = await plan(at)
    if (planned.kind !== 'move') throw new Error(planned.kind)
    await carryOut(of, planned.move)
    return planned.move
  }
  const push = (move: Awaited<ReturnType<typeof restacked>>) =>
    pushMoved({ repository: of.repository, name: 'origin' }, BRANCH, move)

  beforeEach(() => {
    at = inRepo('rev-parse', 'below')
    bare = join(temp.home, 'app.git')
    git(temp.home, temp.env, 'init', '--quiet', '--bare', bare)
    inRepo('remote', 'add', 'origin', bare)
    // As in a clone of one branch: nothing here remembers what was pushed.
    inRepo('config', '--unset-all', 'remote.origin.fetch')
    commitIn(worktree, 'two')
    inTree('push', '--quiet', 'origin', BRANCH)
  })

  it('replaces what the session had pushed, whatever refs of this repository say, and is the same when it is repeated', async () => {
    const move = await restacked()
    inRepo('update-ref', `refs/remotes/origin/${BRANCH}`, inRepo('rev-parse', 'main'))
    expect(await push(move)).toBeNull()
    expect(there()).toBe(move.to)
    expect(await push(move)).toBeNull()
    // Others have continued on it, before a process could note that it was pushed.
    const theirs = foreignOn(move.to)
    expect(await push(move)).toBeNull()
    expect(there()).toBe(theirs)
  })

  it('pushes no branch that was not pushed, and overwrites nothing that was not its own', async () => {
    const move = await restacked()
    const theirs = foreignOn(move.from)
    expect(await push(move)).toBe(`the forge has ${theirs.slice(0, 10)} on ${BRANCH}, which is not in it here`)
    expect(there()).toBe(theirs)
    git(bare, temp.env, 'update-ref', '-d', `refs/heads/${BRANCH}`)
    expect(await push(move)).toBeNull()
    expect(git(bare, temp.env, 'for-each-ref')).toBe('')
  })

  it('says why the forge refuses it, and fails where the forge cannot be asked', async () => {
    const move = await restacked()
    writeFileSync(join(bare, 'hooks', 'pre-receive'), '#!/bin/sh\necho not on a Tuesday\nexit 1\n')
    chmodSync(join(bare, 'hooks', 'pre-receive'), 0o755)
    expect(await push(move)).toMatch(/the forge refused it: .*not on a Tuesday/s)
    expect(there()).toBe(move.from)
    rmSync(bare, { recursive: true })
    await expect(push(move)).rejects.toThrow()
  })
})
