import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { takeCheckpoint } from './checkpoint.ts'
import { goBack } from './go-back.ts'

let home: string
let path: string
let env: NodeJS.ProcessEnv
let turn: number
const git = (...args: string[]) => execFileSync('git', ['-C', path, ...args], { env, encoding: 'utf8', stdio: 'pipe' })
const write = (name: string, text: string) => writeFileSync(join(path, name), text)
const read = (name: string) => readFileSync(join(path, name), 'utf8')
const take = () => takeCheckpoint({ path, sessionId: 'app-1', turn: ++turn, env })

async function back(commit: string): Promise<{ notice: string | null; saved: string }> {
  let saved = ''
  const onSaved = async (one: { commit: string }) => {
    saved = one.commit
  }
  const foreign = new Set(['main', 'others'])
  return { notice: await goBack({ path, sessionId: 'app-1', turn: ++turn, env, commit, foreign, onSaved }), saved }
}

/** Everything that git and the disk say about it. */
const state = () => [
  git('status', '--porcelain', '--branch'),
  git('rev-parse', 'HEAD'),
  git('ls-files', '--stage'),
  git('diff'),
]

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'ao-checkpoint-')))
  const main = join(home, 'main')
  path = join(home, 'app-1')
  turn = 0
  env = { HOME: home, PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1' }
  for (const role of ['AUTHOR', 'COMMITTER'])
    Object.assign(env, { [`GIT_${role}_NAME`]: 'x', [`GIT_${role}_EMAIL`]: 'x@x' })
  execFileSync('git', ['init', '-q', '-b', 'main', main], { env })
  writeFileSync(join(main, 'a'), 'one\n')
  writeFileSync(join(main, '.gitignore'), 'ignored\n')
  const inMain = (...args: string[]) => execFileSync('git', ['-C', main, ...args], { env, stdio: 'pipe' })
  inMain('add', '-A')
  inMain('commit', '-qm', 'first')
  inMain('worktree', 'add', '-q', '-b', 'work', path)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

it('takes staged, changed, deleted and untracked files back as they were, and forward again', async () => {
  write('a', 'changed\n')
  write('staged', 'staged\n')
  git('add', 'staged')
  write('staged', 'staged, then changed\n')
  write('unt räcked\n', 'new\n')
  const before = state()
  const { commit, left } = await take()
  expect([state(), left]).toEqual([before, []])

  rmSync(join(path, 'a'))
  rmSync(join(path, 'unt räcked\n'))
  write('ignored', 'stays')
  write('later', 'later\n')
  git('add', '-A')
  git('commit', '-qm', 'later')
  write('later', 'uncommitted\n')
  const after = state()
  const { notice, saved } = await back(commit)
  expect(state()).toEqual(before)
  expect([read('staged'), read('unt räcked\n'), read('ignored')]).toEqual(['staged, then changed\n', 'new\n', 'stays'])
  expect(existsSync(join(path, 'later'))).toBe(false)
  expect(notice).toContain('work is back at')
  await back(saved)
  expect(state()).toEqual(after)
  expect(read('later')).toBe('uncommitted\n')
})

it('changes neither the index nor a file, and leaves no scratch', async () => {
  write('a', 'changed\n')
  const gitDir = git('rev-parse', '--absolute-git-dir').trim()
  const before = readFileSync(join(gitDir, 'index'))
  await take()
  expect(readFileSync(join(gitDir, 'index'))).toEqual(before)
  expect(execFileSync('ls', [gitDir], { encoding: 'utf8' })).not.toContain('ao-rescue')
})

it('goes to the commit, whatever an agent makes of the ref', async () => {
  write('a', 'mine\n')
  const { commit } = await take()
  git('update-ref', 'refs/ao/checkpoint/app-1/1', 'main')
  // The next one would move main if the ref were followed.
  git('symbolic-ref', 'refs/ao/checkpoint/app-1/2', 'refs/heads/main')
  const main = git('rev-parse', 'main')
  write('a', 'later\n')
  await take()
  expect(git('rev-parse', 'main')).toBe(main)
  await back(commit)
  expect(read('a')).toBe('mine\n')
  await expect(back(main.trim())).rejects.toThrow('no longer in the repository')
})

it('takes names that a shell would act on for names', async () => {
  const names = ['$(touch ran)', '`touch ran`', '; touch ran', '-rf', "it's", 'new\nline', '\\', '*']
  for (const name of names) write(name, `${name}\n`)
  git('checkout', '-q', '-b', 'a;$(touch${IFS}ran)')
  const before = state()
  const { commit } = await take()
  for (const name of names) rmSync(join(path, name))
  await back(commit)
  expect(state()).toEqual(before)
  expect(names.map(read)).toEqual(names.map((name) => `${name}\n`))
  expect(existsSync(join(path, 'ran'))).toBe(false)
})

it.each(['fé', 'ветка/日本'])(
  'goes back to a branch called %s, from a later commit and from another branch',
  async (branch) => {
    git('checkout', '-q', '-b', branch)
    write('a', 'changed\n')
    const before = state()
    const { commit } = await take()
    git('commit', '-qam', 'later')
    await back(commit)
    expect(state()).toEqual(before)

    git('checkout', '-q', '-f', 'work')
    git('checkout', '-q', '-b', 'elsewhere')
    expect(await back(commit)).toMatchObject({ notice: null })
    expect(state()).toEqual(before)
    const branches = git('for-each-ref', '--format=%(refname:short)', 'refs/heads').trim().split('\n')
    expect(branches.toSorted()).toEqual(['elsewhere', 'main', 'work', branch].toSorted())
  },
)

it('leaves out what is large, special or a repository of its own, says so, and never touches it', async () => {
  const large = Buffer.alloc(33 * 1024 ** 2, 1)
  writeFileSync(join(path, 'large'), large)
  execFileSync('mkfifo', [join(path, 'pipe')])
  mkdirSync(join(path, 'nested'))
  execFileSync('git', ['init', '-q', join(path, 'nested')], { env })
  writeFileSync(join(path, 'nested', 'inside'), 'inside')
  writeFileSync(join(path, 'a'), large)
  write('small', 'small\n')
  const { commit, left } = await take()
  expect(left.toSorted()).toEqual(['a', 'large', 'nested/'])
  rmSync(join(path, 'small'))
  const { notice } = await back(commit)
  expect(read('small')).toBe('small\n')
  expect(notice).toContain('not brought back')
  expect([lstatSync(join(path, 'large')).size, lstatSync(join(path, 'a')).size]).toEqual([large.length, large.length])
  expect(lstatSync(join(path, 'pipe')).isFIFO()).toBe(true)
  expect(read('nested/inside')).toBe('inside')
})

it('does not follow a link out of the tree, in either direction', async () => {
  const outside = join(home, 'outside')
  mkdirSync(outside)
  mkdirSync(join(path, 'dir'))
  write('dir/file', 'inside\n')
  const { commit } = await take()
  rmSync(join(path, 'dir'), { recursive: true })
  writeFileSync(join(outside, 'file'), 'not ours\n')
  symlinkSync(outside, join(path, 'dir'))
  const { saved } = await back(commit)
  expect(read('dir/file')).toBe('inside\n')
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('not ours\n')
  await back(saved)
  expect(readlinkSync(join(path, 'dir'))).toBe(outside)
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('not ours\n')
})

it('saves an ignored file first that it has to replace', async () => {
  write('config', 'old\n')
  const { commit } = await take()
  appendFileSync(join(path, '.gitignore'), 'config\n')
  write('config', 'secret\n')
  const { saved } = await back(commit)
  expect(read('config')).toBe('old\n')
  await back(saved)
  expect(read('config')).toBe('secret\n')
})

it('goes back to a detached HEAD, to another branch, and to none', async () => {
  git('checkout', '-q', '--detach')
  const detached = await take()
  git('checkout', '-q', '-b', 'other')
  write('b', 'b\n')
  const other = await take()
  git('checkout', '-q', '--orphan', 'fresh')
  const unborn = await take()
  git('add', '-A')
  git('commit', '-qm', 'no longer unborn')
  const there = () => readFileSync(join(git('rev-parse', '--absolute-git-dir').trim(), 'HEAD'), 'utf8').trim()
  await back(unborn.commit)
  expect(there()).toBe('ref: refs/heads/fresh')
  expect(() => git('rev-parse', '--verify', '-q', 'fresh')).toThrow()
  await back(other.commit)
  expect([there(), git('status', '--porcelain')]).toEqual(['ref: refs/heads/other', '?? b\n'])
  await back(detached.commit)
  expect([there(), git('status', '--porcelain')]).toEqual([git('rev-parse', 'work').trim(), ''])
})

it('saves nothing in the middle of a merge, and says why', async () => {
  git('checkout', '-q', '-b', 'side')
  write('a', 'side\n')
  git('commit', '-qam', 'side')
  git('checkout', '-q', 'work')
  write('a', 'work\n')
  git('commit', '-qam', 'work')
  expect(() => git('merge', 'side')).toThrow()
  await expect(take()).rejects.toThrow('a merge, rebase or bisect was in progress')
})

it('brings back the very bytes that line endings and filters keep from git', async () => {
  const [before] = [(await take()).commit]
  execFileSync('git', ['config', '--global', 'filter.strip.clean', 'sed s/secret//'], { env })
  write('.gitattributes', '* text=auto\n*.book filter=strip\n')
  write('mixed.txt', 'a\r\nb\nc\r\n')
  write('run.book', 'kept secret\n')
  git('add', '-A')
  git('commit', '-qm', 'normalised')
  expect(git('status', '--porcelain')).toBe('')
  const { saved } = await back(before)
  expect(existsSync(join(path, 'mixed.txt'))).toBe(false)
  await back(saved)
  expect([read('mixed.txt'), read('run.book')]).toEqual(['a\r\nb\nc\r\n', 'kept secret\n'])
  expect(git('status', '--porcelain')).toBe('')
})

it.each(['main', 'others'])(
  'never moves %s, which is not its own, wherever its agent has pointed HEAD',
  async (branch) => {
    git('branch', 'others')
    git('symbolic-ref', 'HEAD', `refs/heads/${branch}`)
    const { commit } = await take()
    const old = git('rev-parse', 'HEAD').trim()
    // Others land their work there.
    const landed = git('commit-tree', '-p', old, '-m', 'landed', `${old}^{tree}`).trim()
    git('update-ref', `refs/heads/${branch}`, landed)
    const { notice } = await back(commit)
    expect(notice).toContain(`its branch ${branch} has moved on or is in use, so HEAD is detached`)
    expect(git('rev-parse', `refs/heads/${branch}`, 'HEAD').trim().split('\n')).toEqual([landed, old])
  },
)

it('changes neither the branch nor files when git cannot say what would be left behind', async () => {
  const { commit } = await take()
  write('a', 'two\n')
  git('commit', '-qam', 'torn')
  const torn = git('rev-parse', 'HEAD').trim()
  write('a', 'three\n')
  git('commit', '-qam', 'last')
  // What a power loss or a full disk leaves of it.
  rmSync(join(home, 'main', '.git', 'objects', torn.slice(0, 2), torn.slice(2)))
  write('a', 'mine\n')
  const before = state()
  await expect(back(commit)).rejects.toThrow('Its branch could not be moved')
  expect([state(), read('a')]).toEqual([before, 'mine\n'])
})
