// A private copy of a project's objects, whose ids were computed from what came in.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forgerOf } from '../../../test/support/forged-objects.ts'
import { createRepo, git } from '../../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { gitOn, openRepository, tryGitOn } from '../repository.ts'
import { deliver } from './deliver.ts'
import { verified } from './verified.ts'

let temp: TempHome
let repo: string
beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'repo'), temp.env, { 'a.txt': 'one\n', 'sub/b.txt': 'b\n' })
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})
const theirs = (...args: string[]) => git(repo, temp.env, ...args)
function commit(content: string, file = 'a.txt'): string {
  writeFileSync(join(repo, file), content)
  theirs('add', '--all')
  theirs('commit', '--quiet', '--message', content.trim())
  return theirs('rev-parse', 'HEAD')
}
const open = (path = repo) => openRepository(path, temp.env)
const show = async (revision: string, ...commits: string[]) =>
  gitOn(await verified(open(), commits), ['cat-file', 'blob', revision], { read: true })

describe('verified commits', () => {
  it('have their whole history, their own trees, and the objects of older ones when those are asked for', async () => {
    const [first, second] = [theirs('rev-parse', 'HEAD'), commit('two\n')]
    const vault = await verified(open(), [second])
    expect(await gitOn(vault, ['rev-list', second])).toBe(`${second}\n${first}\n`)
    expect((await tryGitOn(vault, ['cat-file', '-e', `${first}:a.txt`])).ok).toBe(false)
    expect(await show(`${first}:a.txt`, first)).toBe('one\n')
    expect(await show(`${second}:sub/b.txt`, second)).toBe('b\n')
  })

  it('stay in few packs', async () => {
    const packs = async () => {
      const { commonDir } = await verified(open(), [])
      return readdirSync(join(commonDir, 'objects/pack')).filter((name) => name.endsWith('.pack'))
    }
    await verified(open(), [theirs('rev-parse', 'HEAD')])
    const second = commit('two\n')
    await verified(open(), [second])
    expect(await packs()).toHaveLength(2)
    for (let number = 0; number < 42; number++) await verified(open(), [commit(`${number}\n`)])
    expect((await packs()).length).toBeLessThan(41)
    expect(await show(`${second}:a.txt`, second)).toBe('two\n')
  })

  it('are read past attributes and settings of the repository', async () => {
    const [first, second] = [theirs('rev-parse', 'HEAD'), commit('two\n')]
    mkdirSync(join(repo, '.git/info'), { recursive: true })
    for (const file of ['.git/info/attributes', '.git/.gitattributes'])
      writeFileSync(join(repo, file), '* -diff binary\n')
    const vault = await verified(open(), [first, second])
    expect(await gitOn(vault, ['diff', first, second])).toContain('+two')
  })

  it('of a repository with SHA-256', async () => {
    const path = join(temp.home, 'long')
    execFileSync('git', ['init', '--quiet', '--object-format=sha256', path], { env: temp.env })
    writeFileSync(join(path, 'a.txt'), 'long\n')
    git(path, temp.env, 'add', '.')
    git(path, temp.env, 'commit', '--quiet', '--message', 'one')
    const head = git(path, temp.env, 'rev-parse', 'HEAD')
    expect(head).toHaveLength(64)
    const vault = await verified(open(path), [head])
    expect(await gitOn(vault, ['cat-file', 'blob', `${head}:a.txt`])).toBe('long\n')
    forgerOf(join(path, '.git'), temp.env).loose(git(path, temp.env, 'rev-parse', 'HEAD:a.txt'), {
      type: 'blob',
      content: Buffer.from('x\n'),
    })
    rmSync(join(vault.commonDir, '..'), { recursive: true })
    await expect(verified(open(path), [head])).rejects.toMatchObject({ code: 'GIT_OBJECT_DAMAGED' })
  })

  it('of a shallow clone end where it ends, and go on when it is fetched whole', async () => {
    const [first, , last] = [theirs('rev-parse', 'HEAD'), commit('two\n'), commit('three\n')]
    const clone = join(temp.home, 'shallow')
    git(temp.home, temp.env, 'clone', '--quiet', '--depth=2', `file://${repo}`, clone)
    const count = async () => (await gitOn(await verified(open(clone), [last]), ['rev-list', '--count', last])).trim()
    expect(await count()).toBe('2')
    git(clone, temp.env, 'fetch', '--quiet', '--unshallow')
    expect(await count()).toBe('3')
    // A list that hides what is there changes nothing.
    appendFileSync(join(clone, '.git/shallow'), `${last}\n`)
    expect(await count()).toBe('3')
    expect(first).not.toBe(last)
  })

  it('with objects of another repository (alternates), and a submodule', async () => {
    const shared = join(temp.home, 'shared')
    git(temp.home, temp.env, 'clone', '--quiet', '--shared', repo, shared)
    const link = theirs('rev-parse', 'HEAD')
    git(shared, temp.env, 'update-index', '--add', '--cacheinfo', `160000,${link},module`)
    git(shared, temp.env, 'commit', '--quiet', '--message', 'module')
    const head = git(shared, temp.env, 'rev-parse', 'HEAD')
    const vault = await verified(open(shared), [head])
    expect(await gitOn(vault, ['cat-file', 'blob', `${head}:a.txt`])).toBe('one\n')
  })

  it('of a partial clone are never fetched: what is missing is named', async () => {
    const head = commit('two\n')
    theirs('config', 'uploadpack.allowFilter', 'true')
    const clone = join(temp.home, 'partial')
    git(temp.home, temp.env, 'clone', '--quiet', '--no-checkout', '--filter=blob:none', `file://${repo}`, clone)
    await expect(verified(open(clone), [head])).rejects.toThrow(/The object [0-9a-f]{40} is not in /)
    rmSync(repo, { recursive: true })
    await expect(verified(open(clone), [head])).rejects.toThrow(/The object [0-9a-f]{40} is not in /)
  })

  it('are taken again when the vault was damaged, and every month', async () => {
    const head = theirs('rev-parse', 'HEAD')
    const { commonDir } = await verified(open(), [head])
    for (const name of readdirSync(join(commonDir, 'objects/pack'))) rmSync(join(commonDir, 'objects/pack', name))
    const next = commit('c\n', 'sub/c.txt')
    expect(await show(`${next}:a.txt`, next)).toBe('one\n')
    const second = await verified(open(), [next])
    expect(second.commonDir).not.toBe(commonDir)
    const old = Date.now() / 1_000 - 31 * 24 * 3_600
    utimesSync(join(second.commonDir, 'config'), old, old)
    const third = await verified(open(), [next])
    expect(third.commonDir).not.toBe(second.commonDir)
    expect(existsSync(second.commonDir)).toBe(false)
  })

  it.each([
    ['HEAD', ''],
    ['config', ''],
    ['config', '\0'.repeat(60)],
  ])('are taken again when a power loss left the %s of the vault as %j', async (file, torn) => {
    const [first, second] = [theirs('rev-parse', 'HEAD'), commit('two\n')]
    const { commonDir } = await verified(open(), [first, second])
    writeFileSync(join(commonDir, file), torn)
    const vault = await verified(open(), [first, second])
    expect(vault.commonDir).not.toBe(commonDir)
    expect(await gitOn(vault, ['merge-base', '--all', first, second])).toBe(`${first}\n`)
  })

  it('that do not exist are refused by name, and so is what is not an id', async () => {
    await expect(verified(open(), ['1'.repeat(40)])).rejects.toThrow('Commit 1111111111 is not in')
    await expect(verified(open(), ['HEAD'])).rejects.toThrow('HEAD is not the id of a commit')
  })
})

describe('what was made in a vault', () => {
  it('goes into the repository whole, unless an object there is forged', async () => {
    const [base, head] = [theirs('rev-parse', 'HEAD'), commit('two\n')]
    const vault = await verified(open(), [base, head])
    const tree = (await gitOn(vault, ['rev-parse', `${head}^{tree}`])).trim()
    const made = (
      await gitOn(vault, ['-c', 'user.name=x', '-c', 'user.email=x@x', 'commit-tree', tree, '-p', base, '-m', 'made'])
    ).trim()
    const forger = forgerOf(join(repo, '.git'), temp.env)
    forger.loose(theirs('rev-parse', 'HEAD:a.txt'), { type: 'blob', content: Buffer.from('other\n') })
    await expect(deliver(vault, made, base)).rejects.toMatchObject({ code: 'GIT_OBJECT_DAMAGED' })
    const left = readdirSync(join(repo, '.git/objects')).filter((name) => name.startsWith('tmp_'))
    expect(left).toEqual([])
    forger.undo()
    await deliver(vault, made, base)
    expect(theirs('show', `${made}:a.txt`)).toBe('two')
    // Now that a pack holds the right one, a forged file beside it is not read.
    forger.loose(theirs('rev-parse', 'HEAD:a.txt'), { type: 'blob', content: Buffer.from('other\n') })
    expect(theirs('show', `${made}:a.txt`)).toBe('two')
    forger.undo()
    theirs('fsck', '--strict')
  })
})
