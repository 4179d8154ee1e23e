// What an agent that shares the repository cannot make ao's git do.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../../../test/support/git-repo.ts'
import { plantHostileGit } from '../../../test/support/hostile-git.ts'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { runGit, tryGit } from '../git.ts'
import { openRepository } from '../repository.ts'
import { fillExactly } from './exact-checkout.ts'

let temp: TempHome
let repo: string
beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'repo'), temp.env, { 'README.md': '# sample\n', 'a.txt': 'harmless\n' })
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})
const ours = async (...args: string[]) => (await runGit(repo, args, { env: temp.env })).trim()
const theirs = (...args: string[]) => git(repo, temp.env, ...args)
function commit(content: string, file = 'a.txt'): string {
  writeFileSync(join(repo, file), content)
  theirs('add', '--all')
  theirs('commit', '--quiet', '--message', content.trim())
  return theirs('rev-parse', 'HEAD')
}

describe('what is stored is what git shows', () => {
  it('whatever was replaced', async () => {
    const good = theirs('rev-parse', 'HEAD:a.txt')
    commit('evil\n')
    theirs('replace', theirs('rev-parse', 'HEAD:a.txt'), good)
    theirs('replace', '--graft', 'HEAD')
    expect(theirs('show', 'HEAD:a.txt')).toBe('harmless')
    expect(await ours('show', 'HEAD:a.txt')).toBe('evil')
    expect(await ours('rev-list', '--count', 'HEAD')).toBe('2')
  })

  it('whatever grafts say', async () => {
    const head = commit('two\n')
    mkdirSync(join(repo, '.git/info'), { recursive: true })
    writeFileSync(join(repo, '.git/info/grafts'), `${head}\n`)
    expect(theirs('rev-list', '--count', 'HEAD')).toBe('1')
    expect(await ours('rev-list', '--count', 'HEAD')).toBe('2')
  })

  it('where history was declared to end although it continues', async () => {
    const head = commit('two\n')
    writeFileSync(join(repo, '.git/shallow'), `${head}\n`)
    expect(theirs('rev-list', '--count', 'HEAD')).toBe('1')
    expect(await ours('rev-list', '--count', 'HEAD')).toBe('2')
  })

  it('a clone that really is shallow stays usable', async () => {
    commit('two\n')
    theirs('clone', '--quiet', '--depth=1', `file://${repo}`, join(temp.home, 'shallow'))
    const count = runGit(join(temp.home, 'shallow'), ['rev-list', '--count', 'HEAD'], { env: temp.env })
    expect((await count).trim()).toBe('1')
  })

  it('whatever a forged commit-graph says', async () => {
    expect(await ours('config', 'core.commitGraph')).toBe('false')
  })

  it('in a checkout for CI, whatever attributes and settings the repository has', async () => {
    const head = commit('exact $Id$\n')
    writeFileSync(
      join(repo, '.git/info/attributes'),
      'a.txt ident eol=crlf filter=evil\nREADME.md working-tree-encoding=UTF-16\n',
    )
    theirs('config', 'filter.evil.smudge', 'echo forged')
    theirs('config', 'core.autocrlf', 'true')
    theirs('config', 'core.sparseCheckout', 'true')
    const worktree = join(temp.home, 'ci')
    theirs('worktree', 'add', '--quiet', '--detach', '--no-checkout', worktree, head)
    await fillExactly(openRepository(repo, temp.env), worktree, head)
    const hashed = git(worktree, temp.env, 'hash-object', '--no-filters', 'a.txt', 'README.md').split('\n')
    expect(hashed).toEqual([theirs('rev-parse', 'HEAD:a.txt'), theirs('rev-parse', 'HEAD:README.md')])
  })

  it('in a checkout for CI the user’s own filters work, as git-lfs has to', async () => {
    theirs('config', '--global', 'filter.mine.smudge', 'tr a-z A-Z')
    writeFileSync(join(repo, '.gitattributes'), 'a.txt filter=mine\n')
    const head = commit('big\n')
    const worktree = join(temp.home, 'ci')
    theirs('worktree', 'add', '--quiet', '--detach', '--no-checkout', worktree, head)
    await fillExactly(openRepository(repo, temp.env), worktree, head)
    expect(readFileSync(join(worktree, 'a.txt'), 'utf8')).toBe('BIG\n')
  })
})

describe('programs that the repository names', () => {
  it('are not started, however they are planted', async () => {
    theirs('switch', '--quiet', '-c', 'side')
    const side = commit('side\n')
    theirs('switch', '--quiet', 'main')
    const main = commit('main\n')
    theirs('remote', 'add', 'origin', 'ext::sh -c true')
    const hostile = plantHostileGit(repo, temp.home, temp.env)
    for (const key of ['ssh://localhost:1/x', 'https://localhost:1/none', `file://${repo}`]) {
      theirs('config', 'remote.origin.url', key)
      await tryGit(repo, ['fetch', '--quiet', 'origin'], { env: temp.env, timeoutMs: 5_000 })
      await tryGit(repo, ['push', '--dry-run', 'origin', 'main'], { env: temp.env, timeoutMs: 5_000 })
    }
    theirs('config', 'remote.origin.url', `ext::${hostile.program('ext')}`)
    await tryGit(repo, ['fetch', 'origin'], { env: temp.env })
    writeFileSync(join(repo, 'a.txt'), 'changed\n')
    for (const args of [
      ['status', '--porcelain'],
      ['diff'],
      ['diff', side, main],
      ['log', '-p', '-2'],
      ['show', 'HEAD'],
      ['format-patch', '--stdout', 'HEAD~1..HEAD'],
      ['add', '--all'],
      ['stash', 'create'],
      ['write-tree'],
      ['merge-tree', '--write-tree', side, main],
      ['read-tree', '-m', '-u', 'HEAD'],
      ['checkout', '--quiet', '--force', 'HEAD'],
      ['worktree', 'add', '--quiet', join(temp.home, 'other'), 'side'],
      ['update-ref', 'refs/heads/other', main],
      ['gc', '--quiet'],
    ]) {
      await tryGit(repo, args, { env: temp.env })
    }
    expect(hostile.fired()).toEqual([])
  })

  it('are started by git itself: the plants are real', () => {
    const hostile = plantHostileGit(repo, temp.home, temp.env)
    writeFileSync(join(repo, 'a.txt'), 'changed\n')
    theirs('-c', 'filter.evil.required=false', 'diff')
    theirs('-c', 'filter.evil.required=false', 'status')
    expect(hostile.fired()).toEqual(expect.arrayContaining(['included-clean']))
  })

  it('a merge driver of the repository makes a conflict, and never silently keeps one side', async () => {
    theirs('switch', '--quiet', '-c', 'side')
    const side = commit('side\n')
    theirs('switch', '--quiet', 'main')
    const main = commit('main\n')
    mkdirSync(join(repo, '.git/info'), { recursive: true })
    writeFileSync(join(repo, '.git/info/attributes'), 'a.txt merge=evil\n')
    theirs('config', 'merge.evil.driver', 'true')
    expect((await tryGit(repo, ['merge-tree', '--write-tree', main, side], { env: temp.env })).exitCode).toBe(1)
  })

  it('files elsewhere are not worked on', async () => {
    mkdirSync(join(temp.home, 'elsewhere'))
    theirs('config', 'core.worktree', join(temp.home, 'elsewhere'))
    await expect(ours('status')).rejects.toThrow(`was made to work on the files of ${join(temp.home, 'elsewhere')}`)
  })

  it('a changed setting is seen by the next command', async () => {
    expect(await ours('config', '--default', 'none', 'user.signingkey')).toBe('none')
    theirs('config', 'user.signingkey', 'evil')
    expect(await ours('config', 'user.signingkey')).toBe('')
    theirs('config', '--global', 'user.signingkey', 'mine')
    theirs('config', 'user.signingkey', 'evil2')
    expect(await ours('config', 'user.signingkey')).toBe('mine')
  })
})
