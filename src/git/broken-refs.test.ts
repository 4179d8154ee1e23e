// Refs as a power loss leaves them: files without content. Every case fails without the repair, with git's own words.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { runGit, tryGit } from './git.ts'
import { openRepository, resolveRef } from './repository.ts'

const longAgo = new Date(Date.now() - 3_600_000)

let temp: TempHome
let repo: string
let head: string
beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'repo'), temp.env)
  head = git(repo, temp.env, 'rev-parse', 'HEAD')
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const file = (ref: string) => join(repo, '.git', ref)
function writeRef(ref: string, content: string): void {
  mkdirSync(dirname(file(ref)), { recursive: true })
  writeFileSync(file(ref), content)
}

describe.each([
  ['empty', ''],
  ['zeroed', '\0'.repeat(41)],
  ['cut short', '0123456789abcdef'],
])('a ref that is %s', (_, content) => {
  it('of ao is treated as absent and written anew', async () => {
    writeRef('refs/ao/settled/app-1/1', content)
    await runGit(repo, ['update-ref', 'refs/ao/settled/app-1/1', head], { env: temp.env })
    expect(readFileSync(file('refs/ao/settled/app-1/1'), 'utf8').trim()).toBe(head)
  })

  it('of a branch gets back the last commit of its reflog', async () => {
    git(repo, temp.env, 'branch', 'session/app-1')
    git(repo, temp.env, 'switch', '--quiet', 'session/app-1')
    git(repo, temp.env, 'commit', '--quiet', '--allow-empty', '-m', 'work')
    const work = git(repo, temp.env, 'rev-parse', 'HEAD')
    git(repo, temp.env, 'switch', '--quiet', 'main')
    writeRef('refs/heads/session/app-1', content)
    const path = join(temp.home, 'tree')
    await tryGit(repo, ['worktree', 'add', '--quiet', '-b', 'session/app-1', path], { env: temp.env })
    expect(git(repo, temp.env, 'rev-parse', 'session/app-1')).toBe(work)
  })

  it('is none to whoever asks for its commit', async () => {
    writeRef('refs/heads/session/app-1', content)
    expect(await resolveRef(openRepository(repo, temp.env), 'refs/heads/session/app-1')).toBeNull()
  })

  it('of a branch without a usable reflog no longer blocks its name', async () => {
    git(repo, temp.env, 'branch', 'session/app-1')
    rmSync(file('logs/refs/heads/session/app-1'))
    writeRef('refs/heads/session/app-1', content)
    const path = join(temp.home, 'tree')
    await runGit(repo, ['worktree', 'add', '--quiet', '-b', 'session/app-1', path, 'main'], { env: temp.env })
    expect(git(path, temp.env, 'rev-parse', 'HEAD')).toBe(head)
  })
})

describe("a worktree's link to its repository", () => {
  const link = () => file('worktrees/other/commondir')
  beforeEach(() => {
    git(repo, temp.env, 'worktree', 'add', '--quiet', '--detach', join(temp.home, 'other'))
    writeFileSync(link(), '')
  })

  it('is written again where a power loss emptied it, because it stops commands about all other worktrees', async () => {
    utimesSync(link(), longAgo, longAgo)
    await runGit(repo, ['worktree', 'add', '--quiet', '--detach', join(temp.home, 'tree')], { env: temp.env })
    expect(readFileSync(link(), 'utf8')).toBe('../..\n')
    expect(git(join(temp.home, 'other'), temp.env, 'rev-parse', 'HEAD')).toBe(head)
  })

  it('is left to another git that may be writing it at this moment', async () => {
    const options = { env: temp.env, lockWaitMs: 0 }
    expect(await tryGit(repo, ['worktree', 'list'], options)).toMatchObject({ ok: false })
    expect(readFileSync(link(), 'utf8')).toBe('')
  })

  it('is left alone where it says something', async () => {
    writeFileSync(link(), '../../../elsewhere\n')
    utimesSync(link(), longAgo, longAgo)
    await tryGit(repo, ['worktree', 'list'], { env: temp.env, lockWaitMs: 0 })
    expect(readFileSync(link(), 'utf8')).toBe('../../../elsewhere\n')
  })
})

it('leaves a ref alone that has content, and one that another git has locked', async () => {
  writeRef('refs/ao/settled/app-1/1', 'not an object name\n')
  expect(await tryGit(repo, ['update-ref', 'refs/ao/settled/app-1/1', head], { env: temp.env })).toMatchObject({
    ok: false,
  })
  expect(readFileSync(file('refs/ao/settled/app-1/1'), 'utf8')).toBe('not an object name\n')

  writeRef('refs/ao/settled/app-1/2', '')
  writeRef('refs/ao/settled/app-1/2.lock', '')
  const options = { env: temp.env, lockWaitMs: 0 }
  expect(await tryGit(repo, ['update-ref', 'refs/ao/settled/app-1/2', head], options)).toMatchObject({ ok: false })
  expect(existsSync(file('refs/ao/settled/app-1/2.lock'))).toBe(true)
  expect(readFileSync(file('refs/ao/settled/app-1/2'), 'utf8')).toBe('')
})

describe('a lock that a power loss left', () => {
  const locked = (ref: string, made = longAgo) => {
    git(repo, temp.env, 'update-ref', ref, head)
    writeRef(`${ref}.lock`, '')
    utimesSync(file(`${ref}.lock`), made, made)
    return tryGit(repo, ['update-ref', '-d', ref], { env: temp.env, lockWaitMs: 4_000 })
  }

  it.each(['refs/ao/train/app/2', 'refs/notes/ao/proof'])(
    'on %s, which only ao writes, is removed by whoever has waited for it',
    async (ref) => {
      const began = performance.now()
      expect(await locked(ref)).toMatchObject({ ok: true })
      expect(performance.now() - began).toBeGreaterThan(2_000)
      expect(existsSync(file(`${ref}.lock`))).toBe(false)
    },
  )

  it.runIf(process.platform === 'linux')('stays while somebody has it open, however slow the disk is', async () => {
    const failing = locked('refs/ao/train/app/2')
    const fd = openSync(file('refs/ao/train/app/2.lock'), 'r')
    expect(await failing).toMatchObject({ ok: false })
    closeSync(fd)
    expect(existsSync(file('refs/ao/train/app/2.lock'))).toBe(true)
  })

  it('stays while it is as young as that of a large transaction, which closes it before it is done', async () => {
    expect(await locked('refs/ao/train/app/3', new Date())).toMatchObject({ ok: false })
    expect(existsSync(file('refs/ao/train/app/3.lock'))).toBe(true)
  })

  it('stays when it is somewhere else, behind a link', async () => {
    const elsewhere = join(temp.home, 'elsewhere')
    mkdirSync(elsewhere)
    mkdirSync(file('refs/ao'), { recursive: true })
    symlinkSync(elsewhere, file('refs/ao/evil'))
    writeFileSync(join(elsewhere, 'Cargo.lock'), 'theirs\n')
    utimesSync(join(elsewhere, 'Cargo.lock'), longAgo, longAgo)
    const args = ['update-ref', 'refs/ao/evil/Cargo', head]
    expect(await tryGit(repo, args, { env: temp.env, lockWaitMs: 4_000 })).toMatchObject({ ok: false })
    expect(readFileSync(join(elsewhere, 'Cargo.lock'), 'utf8')).toBe('theirs\n')
  })

  it('on a branch stays, because it may be that of the user', async () => {
    expect(await locked('refs/heads/side')).toMatchObject({ ok: false })
    expect(existsSync(file('refs/heads/side.lock'))).toBe(true)
  })
})

it('leaves an empty file alone that a server calls a broken ref', async () => {
  const server = join(temp.home, 'server.git')
  git(repo, temp.env, 'init', '--quiet', '--bare', server)
  const line = "unable to resolve reference 'refs/ao/../../../empty.txt': reference broken"
  writeFileSync(join(server, 'hooks/pre-receive'), `#!/bin/sh\necho "${line}" >&2\nexit 1\n`, { mode: 0o755 })
  writeFileSync(join(repo, 'empty.txt'), '')
  const pushed = await tryGit(repo, ['push', server, 'main'], { env: temp.env })
  expect(pushed.stderr).toContain(line)
  expect(existsSync(join(repo, 'empty.txt'))).toBe(true)
})
