import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ANY_FORGE } from '../../src/contract/forges.ts'
import { excludeAoDirectory } from '../../src/git/keep-out-of-git.ts'
import { writeAoDirectory } from '../../src/inside/agents-md.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
let repo: string
let worktree: string

beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'repo'), temp.env)
  worktree = join(temp.home, '.worktrees', 'my-service', 'svc-1')
  git(repo, temp.env, 'worktree', 'add', '-q', '-b', 'feat/x', worktree)
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const agentsMd = () => readFileSync(join(worktree, '.ao', 'AGENTS.md'), 'utf8')
const exclude = () => readFileSync(join(repo, '.git', 'info', 'exclude'), 'utf8')

describe('.ao in a worktree', () => {
  it('S1.62 S1.63 is there, ignored by git, and changes no tracked file', () => {
    excludeAoDirectory(worktree)
    writeAoDirectory(worktree, { handIn: ANY_FORGE, sessionId: 'svc-1' })
    expect(existsSync(join(worktree, '.ao', 'AGENTS.md'))).toBe(true)
    expect(git(worktree, temp.env, 'status', '--porcelain')).toBe('')
    expect(git(repo, temp.env, 'status', '--porcelain')).toBe('')
  })

  it('S1.64 informs the agent that it runs in a session of ao', () => {
    writeAoDirectory(worktree, { handIn: ANY_FORGE, sessionId: 'svc-1' })
    expect(agentsMd()).toMatch(/^## Agent Orchestrator \(ao\) Session$/m)
    expect(agentsMd()).toContain('`svc-1`')
  })

  it('S1.65 says that wrappers keep the record, and how to do it by hand', () => {
    writeAoDirectory(worktree, { handIn: ANY_FORGE, sessionId: 'svc-1' })
    expect(agentsMd()).toMatch(/wrappers/)
    expect(agentsMd()).toContain('source ~/.ao/bin/ao-metadata-helper.sh')
    expect(agentsMd()).toContain('update_ao_metadata')
  })

  it('leaves a file that git tracks alone, also one that looks like ao’s', () => {
    mkdirSync(join(worktree, '.ao'))
    const theirs = '## Agent Orchestrator (ao) Session\n\nof last year\n'
    writeFileSync(join(worktree, '.ao', 'AGENTS.md'), theirs)
    writeAoDirectory(worktree, { handIn: ANY_FORGE, sessionId: 'svc-1', isTracked: true })
    expect(agentsMd()).toBe(theirs)
  })

  it('leaves a file of the repository’s own alone', () => {
    mkdirSync(join(worktree, '.ao'))
    writeFileSync(join(worktree, '.ao', 'AGENTS.md'), 'ours\n')
    writeAoDirectory(worktree, { handIn: ANY_FORGE, sessionId: 'svc-1' })
    expect(agentsMd()).toBe('ours\n')
  })

  it('is never written through a link in the repository', () => {
    const elsewhere = join(temp.home, 'elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(worktree, '.ao'))
    expect(() => writeAoDirectory(worktree, { handIn: ANY_FORGE, sessionId: 'svc-1' })).toThrow(/is a link/)
    expect(existsSync(join(elsewhere, 'AGENTS.md'))).toBe(false)
  })
})

describe('S1.63 the exclusion', () => {
  it('is added once, whatever the file held, for the main checkout and all worktrees', () => {
    writeFileSync(join(repo, '.git', 'info', 'exclude'), '# mine\n*.log')
    excludeAoDirectory(worktree)
    excludeAoDirectory(repo)
    excludeAoDirectory(worktree)
    expect(exclude()).toBe('# mine\n*.log\n/.ao/\n')
  })

  it('is recognized in any spelling, and created where there is no such file yet', () => {
    writeFileSync(join(repo, '.git', 'info', 'exclude'), '.ao\n')
    excludeAoDirectory(worktree)
    expect(exclude()).toBe('.ao\n')
    const bare = createRepo(join(temp.home, 'other'), temp.env)
    git(bare, temp.env, 'config', 'core.bare', 'false')
    excludeAoDirectory(bare)
    expect(readFileSync(join(bare, '.git', 'info', 'exclude'), 'utf8')).toContain('\n/.ao/\n')
  })

  it('needs no repository', () => {
    const plain = join(temp.home, 'plain')
    mkdirSync(plain)
    excludeAoDirectory(plain)
    expect(existsSync(join(plain, '.git'))).toBe(false)
  })
})
