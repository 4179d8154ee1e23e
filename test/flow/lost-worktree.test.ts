// A worktree's directory that lost its connection to the repository: nothing in it is lost, nothing is reported as removed
// while it exists, and the session can be restored.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { git } from '../support/git-repo.ts'

let ao: AoHome
beforeEach(async () => {
  ao = await createAoHome()
})
afterEach(async () => {
  expect(await ao.cleanup()).toEqual([])
})

const WORK = 'work that nobody committed\n'

interface Loss {
  name: string
  happen(id: string): void
}

const LOSSES: Loss[] = [
  { name: 'its .git file is gone', happen: (id) => rmSync(join(ao.worktree(id), '.git')) },
  {
    name: 'its .git file is gone and git pruned it',
    happen: (id) => {
      rmSync(join(ao.worktree(id), '.git'))
      git(ao.repo, ao.env, 'worktree', 'prune')
    },
  },
  {
    name: 'git forgot it',
    happen: (id) => rmSync(join(ao.repo, '.git', 'worktrees', id), { recursive: true }),
  },
  {
    name: 'the repository was cloned anew',
    happen: () => {
      const old = join(ao.home, 'old')
      renameSync(join(ao.repo, '.git'), old)
      git(ao.home, ao.env, 'clone', '--quiet', '--mirror', old, join(ao.repo, '.git'))
      git(ao.repo, ao.env, 'config', '--bool', 'core.bare', 'false')
      rmSync(old, { recursive: true })
    },
  },
]

describe.each(LOSSES)('$name', ({ happen }) => {
  it('a purge saves the work, and restore brings it back', () => {
    const id = spawnWithWork()
    happen(id)
    ao.ok(['session', 'kill', id, '--purge'])
    expect(existsSync(ao.worktree(id))).toBe(false)
    expect(ao.archived()).toEqual([id])
    ao.ok(['session', 'restore', id])
    expectWork(id)
  })

  it('a restore continues in it', () => {
    const id = spawnWithWork()
    ao.ok(['session', 'kill', id])
    happen(id)
    ao.ok(['session', 'restore', id])
    expectWork(id)
  })
})

it('what an interrupted removal of an older version left does not replace the saved work', () => {
  const id = spawnWithWork()
  expect(ao.run(['session', 'kill', id, '--purge'], { AO_FAILPOINT: 'kill.work-saved' }).signal).toBe('SIGKILL')
  // As git leaves it when it is killed while it deletes.
  rmSync(join(ao.worktree(id), '.git'))
  rmSync(join(ao.worktree(id), 'README.md'))
  ao.ok(['session', 'restore', id])
  expectWork(id)
  const trash = join(ao.home, '.worktrees', '.ao-trash')
  expect(readFileSync(join(trash, readdirSync(trash)[0]!, 'work.txt'), 'utf8')).toBe(WORK)
})

describe('what cannot be connected again', () => {
  it('is refused, named and kept; once it is moved away everything works', () => {
    const id = spawnWithWork()
    rmSync(join(ao.repo, '.git', 'worktrees', id), { recursive: true })
    git(ao.repo, ao.env, 'branch', '-D', `session/${id}`)
    const purged = ao.run(['session', 'kill', id, '--purge'])
    expect(purged.exitCode).not.toBe(0)
    expect(purged.stderr).toContain(`the branch session/${id} is not in`)
    expect(purged.stderr).toContain(`mv '${ao.worktree(id)}'`)
    expect(readFileSync(join(ao.worktree(id), 'work.txt'), 'utf8')).toBe(WORK)
    expect(ao.list().map((one) => [one.id, one.status])).toEqual([[id, 'killed']])
    renameSync(ao.worktree(id), `${ao.worktree(id)}.kept`)
    const restored = ao.run(['session', 'restore', id])
    expect(restored.exitCode).toBe(0)
    expect(restored.stderr).toContain(`The branch session/${id} is gone; it starts again from refs/heads/main`)
    expect(existsSync(join(ao.worktree(id), 'README.md'))).toBe(true)
  })

  it('a copy of another worktree is not taken for it', () => {
    const id = spawnWithWork()
    const other = spawnWithWork()
    rmSync(ao.worktree(id), { recursive: true })
    cpSync(ao.worktree(other), ao.worktree(id), { recursive: true })
    expect(ao.run(['session', 'kill', id, '--purge']).stderr).toContain(`it was made for session ${other}`)
    expect(git(ao.worktree(other), ao.env, 'status', '--porcelain')).toBe('?? work.txt')
  })
})

function spawnWithWork(): string {
  const id = ao.spawn()
  writeFileSync(join(ao.worktree(id), 'work.txt'), WORK)
  return id
}

function expectWork(id: string): void {
  expect(readFileSync(join(ao.worktree(id), 'work.txt'), 'utf8')).toBe(WORK)
  expect(existsSync(join(ao.worktree(id), 'README.md'))).toBe(true)
  expect(git(ao.worktree(id), ao.env, 'status', '--porcelain')).toBe('?? work.txt')
  expect(ao.list().map((one) => [one.id, one.status])).toEqual([[id, 'working']])
}

it('is made again although a git that died with the machine still locks its branch', () => {
  const id = spawnWithWork()
  ao.ok(['session', 'kill', id, '--purge'])
  const lock = join(ao.repo, '.git', 'refs', 'heads', 'session', `${id}.lock`)
  writeFileSync(lock, '')
  ao.ok(['session', 'restore', id])
  expectWork(id)
  expect(existsSync(lock)).toBe(false)
})
