// Which branches of home an agent in a place can move: a place that says it is on another branch is only a place that says so.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../../../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../../../test/support/temp-home.ts'
import { captureWork } from '../far/work.ts'
import type { FarWork } from '../far-contract.ts'
import { captureMirror, type Mirror, moveMirror } from './mirror.ts'

let temp: TempHome
let repo: string
let mirror: Mirror

beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'app'), temp.env)
  const path = join(temp.home, 'mirror')
  // Nobody has the default branch, nor that of another session, checked out.
  git(repo, temp.env, 'branch', 'session/app-1')
  git(repo, temp.env, 'worktree', 'add', '-q', '-b', 'session/app-2', path)
  git(repo, temp.env, 'checkout', '-q', '-b', 'mine')
  mirror = { sessionId: 'app-2', path, env: temp.env }
})
afterEach(async () => expect(await temp.cleanup()).toEqual([]))

const tipOf = (branch: string) => git(repo, temp.env, 'rev-parse', '--verify', '-q', `refs/heads/${branch}`).trim()

/** One more commit, on this branch, as the place has it. */
function ahead(from: FarWork, branch: string): FarWork {
  const commit = (parent: string, message: string) =>
    git(repo, temp.env, 'commit-tree', from.tree, '-p', parent, '-m', message).trim()
  const head = commit(from.head, 'more')
  return { ref: `refs/heads/${branch}`, head, work: commit(head, 'work'), tree: from.tree }
}

async function move(from: FarWork, to: FarWork, interrupted = false): Promise<string | null> {
  return moveMirror(mirror, { from, to, branches: ['session/app-2'], defaultBranch: 'main', interrupted })
}

describe('a place that checks out a branch of home', () => {
  it.each(['main', 'session/app-1'])('does not get %s by being at its commit', async (branch) => {
    const from = await captureMirror(mirror)
    const before = tipOf(branch)
    const there = { ...from, ref: `refs/heads/${branch}` }
    expect(before).toBe(there.head)
    expect(await move(from, there)).toMatch(/default branch|existed at home/)
    expect(await move(from, ahead(from, branch))).toMatch(/default branch|existed at home/)
    expect(tipOf(branch)).toBe(before)
    expect(git(mirror.path, temp.env, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/session/app-2')
  })

  it('does not get the default branch after an interruption either, and its own and new ones as before', async () => {
    const from = await captureMirror(mirror)
    expect(await move(from, { ...from, ref: 'refs/heads/main' }, true)).toContain('default branch')
    const own = ahead(from, 'session/app-2')
    expect(await move(from, own)).toBeNull()
    const fresh = ahead(own, 'topic')
    expect(await move(own, fresh)).toBeNull()
    expect(tipOf('topic')).toBe(fresh.head)
  })
})

/** What is in the directory, uncommitted, as a place without any filter has it. */
function asThere(from: FarWork, files: Record<string, string>): FarWork {
  const entries = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(temp.home, 'file'), text)
    const id = git(repo, temp.env, 'hash-object', '-w', '--no-filters', join(temp.home, 'file')).trim()
    return `100644 blob ${id}\t${name}`
  })
  const input = [git(repo, temp.env, 'ls-tree', from.head).trim(), ...entries, ''].join('\n')
  const tree = execFileSync('git', ['mktree'], { cwd: repo, env: temp.env, input, encoding: 'utf8' }).trim()
  const work = git(repo, temp.env, 'commit-tree', tree, '-p', from.head, '-m', 'work').trim()
  return { ...from, work, tree }
}

describe('a mirror whose home would store files in another form', () => {
  it('follows on, and is left alone only when its bytes were changed', async () => {
    appendFileSync(join(temp.home, '.gitconfig'), '[core]\n\tautocrlf = input\n')
    const from = await captureMirror(mirror)
    const first = asThere(from, { 'a.txt': 'one\r\n' })
    expect(await move(from, first)).toBeNull()
    expect(await move(first, first)).toBeNull()
    const second = asThere(from, { 'a.txt': 'two\r\n', 'b.txt': 'b\r\n' })
    expect(await move(first, second)).toBeNull()
    expect(readFileSync(join(mirror.path, 'a.txt'), 'utf8')).toBe('two\r\n')
    writeFileSync(join(mirror.path, 'a.txt'), 'mine\r\n')
    expect(await move(second, asThere(from, {}))).toContain('the worktree at home was changed')
    expect(readFileSync(join(mirror.path, 'a.txt'), 'utf8')).toBe('mine\r\n')
  })

  it('asks no server for what git-lfs lacks: which one is the agent’s own words', async () => {
    const requests = join(temp.home, 'requests')
    const smudge = join(temp.home, 'smudge')
    writeFileSync(smudge, `#!/bin/sh\n[ "$GIT_LFS_SKIP_SMUDGE" = 1 ] || echo "$1" >> '${requests}'\ncat\n`, {
      mode: 0o755,
    })
    const filter = `[filter "lfs"]\n\tclean = cat\n\tsmudge = ${smudge} %f\n\trequired = true\n`
    appendFileSync(join(temp.home, '.gitconfig'), filter)
    const from = await captureMirror(mirror)
    const files = { '.gitattributes': '*.bin filter=lfs\n', '.lfsconfig': '[lfs]\n\turl = http://evil.invalid\n' }
    const to = asThere(from, { ...files, 'a.bin': 'version https://git-lfs.github.com/spec/v1\n' })
    expect(await move(from, to)).toBeNull()
    expect(existsSync(join(mirror.path, 'a.bin'))).toBe(true)
    expect(existsSync(requests)).toBe(false)
  })
})

it('a sparse mirror shows changes everywhere, and files that it does not have are not deleted ones', async () => {
  const work = (path: string, ...args: string[]) => git(path, temp.env, ...args).trim()
  const place = join(temp.home, 'place')
  work(repo, 'worktree', 'add', '-q', '--detach', place, 'session/app-2')
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(place, name)), { recursive: true })
    writeFileSync(join(place, name), text)
  }
  for (const name of ['in/a', 'out/a', 'out/b', 'out/c', 'out/d']) write(name, name)
  const commit = (message: string) => {
    work(place, 'add', '-A')
    work(place, 'commit', '-qm', message)
  }
  const state = (): FarWork => {
    const head = work(place, 'rev-parse', 'HEAD')
    work(place, 'add', '-A')
    const tree = work(place, 'write-tree')
    work(place, 'reset', '-q')
    return {
      ref: 'refs/heads/session/app-2',
      head,
      work: work(place, 'commit-tree', tree, '-p', head, '-m', 'w'),
      tree,
    }
  }
  commit('files')
  work(mirror.path, 'reset', '-q', '--hard', work(place, 'rev-parse', 'HEAD'))
  work(mirror.path, 'sparse-checkout', 'set', 'in')
  const from = await captureMirror(mirror)
  expect(from.tree).toBe(state().tree)
  write('out/new', 'new')
  write('out/d', 'committed')
  commit('more')
  write('in/a', 'changed')
  write('out/b', 'changed')
  rmSync(join(place, 'out/c'))
  const to = state()
  expect(await move(from, to)).toBeNull()
  expect((await captureMirror(mirror)).tree).toBe(to.tree)
  expect(
    work(mirror.path, 'status', '--short')
      .split('\n')
      .map((line) => line.trim())
      .sort(),
  ).toEqual(['D out/c', 'M in/a', 'M out/b'])
  expect(existsSync(join(mirror.path, 'out/a'))).toBe(false)
  write('out/b', 'out/b')
  expect(await move(to, state())).toBeNull()
})

it('content that git-lfs keeps in a place counts as left there, unless home has sent the pointer to it', async () => {
  const keep = (id: string) => {
    const directory = join(repo, '.git', 'lfs', 'objects', id.slice(0, 2), id.slice(2, 4))
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, id), 'x'.repeat(3_000))
  }
  const [fetched, made] = ['a'.repeat(64), 'b'.repeat(64)]
  writeFileSync(join(repo, '.gitattributes'), '*.bin filter=lfs\n')
  writeFileSync(join(repo, 'a.bin'), `version https://git-lfs.github.com/spec/v1\noid sha256:${fetched}\nsize 3000\n`)
  git(repo, temp.env, 'add', '-A')
  git(repo, temp.env, 'commit', '-qm', 'pointer')
  git(repo, temp.env, 'update-ref', 'refs/ao/sent', 'HEAD')
  const left = async (onlyCommits: boolean) => (await captureWork(repo, { maxBytes: 1_000_000, onlyCommits }))?.left
  expect(await left(true)).toBeNull()
  keep(fetched)
  expect(await left(false)).toBeNull()
  keep(made)
  const kept = { files: 1, bytes: 3_000, largest: 'object bbbbbbbbbb of git-lfs', lfs: true }
  expect(await left(false)).toEqual(kept)
  expect(await left(true)).toEqual(kept)
})
