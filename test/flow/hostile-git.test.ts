// A repository into whose git data an agent has planted everything it can: no command of ao starts any of it, and all of them
// see the bytes that land.
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { git } from '../support/git-repo.ts'
import { plantHostileGit } from '../support/hostile-git.ts'
import { buildAo } from '../support/run-ao.ts'

const YAML = `agent: generic
agentConfig: { command: [sh, -c, exec cat, agent, "{promptFile}"] }
scm:
  plugin: local
  ci: { commands: [{ name: unit, run: "! grep -rq BROKEN --include=*.txt ." }] }
gates:
  - { name: secrets, secrets: true }`

let ao: AoHome
beforeAll(buildAo)
beforeEach(async () => {
  ao = await createAoHome({ projectYaml: YAML })
})
afterEach(async () => {
  expect(await ao.cleanup()).toEqual([])
})
const at = (directory: string, ...args: string[]) => git(directory, ao.env, ...args)

/** A session with one commit and a pull request; its number. */
function work(file: string, content: string): { id: string; pull: string } {
  const id = ao.spawn('write a file')
  const worktree = ao.worktree(id)
  writeFileSync(join(worktree, file), content)
  at(worktree, 'add', '--all')
  at(worktree, 'commit', '--quiet', '--message', `add ${file}`)
  const branch = at(worktree, 'branch', '--show-current')
  const url = ao.ok(['gh', 'pr', 'create', '--head', branch, '--title', file, '--body', 'x'])
  return { id, pull: /\/pull\/(\d+)/.exec(url)![1]! }
}

it('starts nothing that was planted, whatever the command, and shows, tests and lands what is stored', () => {
  const good = work('good.txt', 'harmless\n')
  const evil = work('evil.txt', 'BROKEN\n')
  writeFileSync(join(ao.worktree(good.id), 'unsaved.txt'), 'not committed\n')
  const [harmless, broken] = [`${good.id}:good.txt`, `${evil.id}:evil.txt`].map((name) => {
    const [id = '', file = ''] = name.split(':')
    return at(ao.worktree(id), 'rev-parse', `HEAD:${file}`)
  })
  at(ao.repo, 'replace', broken!, harmless!)
  const hostile = plantHostileGit(ao.repo, ao.home, ao.env)
  // Nothing but "binary files differ" would be left of a diff.
  appendFileSync(join(ao.repo, '.git/info/attributes'), '*.txt binary\n')
  writeFileSync(join(ao.worktree(evil.id), '.gitattributes'), '*.txt -diff\n')
  const fired: Record<string, string[]> = {}
  const run = (...args: string[]): string => {
    const before = new Set(hostile.fired())
    const { stdout, stderr } = ao.run(args)
    expect(`${args.join(' ')}: ${stderr}`).not.toMatch(/Unknown|usage:|See: ao .* --help/i)
    // A new worktree is made with the repository's hooks, as the user's own git would.
    const isAllowed = (name: string) => args[0] === 'spawn' && name.startsWith('hook-')
    const now = hostile.fired().filter((name) => !before.has(name) && !isAllowed(name))
    if (now.length > 0) fired[args.join(' ')] = now
    return stdout + stderr
  }
  const outputs = {
    doctor: run('doctor'),
    diff: run('pr', 'diff', evil.pull),
    ghDiff: run('gh', 'pr', 'diff', evil.pull),
    session: run('session', 'diff', evil.id),
    checks: run('pr', 'checks', evil.pull, '--run'),
    goodChecks: run('pr', 'checks', good.pull, '--run'),
  }
  for (const args of [
    ['status'],
    ['session', 'ls'],
    ['session', 'show', evil.id],
    ['why', evil.id],
    ['next'],
    ['radar', '--hunks'],
    ['pr', 'ls'],
    ['pr', 'view', evil.pull],
    ['gh', 'pr', 'view', evil.pull],
    ['land', 'ls'],
    ['stack'],
    ['disk'],
    ['doctor', '--verify'],
    ['schedule', 'ls'],
    ['config', 'validate'],
    ['session', 'export', good.id],
    ['pr', 'comment', evil.pull, '--body', 'no'],
    ['pr', 'close', evil.pull],
    ['pr', 'reopen', evil.pull],
    ['spawn', '--prompt', 'another one'],
    ['spawn', '--prompt', 'on top', '--base', evil.id],
    ['session', 'kill', good.id, '--purge'],
    ['session', 'restore', good.id],
    ['pr', 'review', good.pull, '--approve'],
    ['pr', 'merge', good.pull],
    ['verify', 'main'],
    ['session', 'cleanup'],
  ])
    run(...args)
  expect(fired).toEqual({})
  expect(outputs.doctor).toContain('1 object replaced (refs/replace)')
  expect(outputs.doctor).toContain('core.sshcommand is set in the repository itself')
  for (const text of [outputs.diff, outputs.ghDiff, outputs.session]) expect(text).toContain('+BROKEN')
  expect(outputs.session).toContain('marked as binary by git attributes')
  expect(outputs.checks).toContain('failed  unit')
  expect(outputs.goodChecks).not.toContain('failed  unit')
  expect(git(ao.repo, { ...ao.env, GIT_NO_REPLACE_OBJECTS: '1' }, 'cat-file', 'blob', 'main:good.txt')).toBe('harmless')
}, 300_000)
