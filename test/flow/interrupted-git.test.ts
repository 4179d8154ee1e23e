// Interrupted while git itself is working: a filter that waits holds git at a known file, the command is ended in every
// way, and the next restore brings back exactly what was there.
import { spawn } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { fingerprint, type Kind } from '../contract/workspace-world.ts'
import { type AoHome, createAoHome } from '../support/ao-home.ts'
import { cover } from '../support/cover.ts'
import { git } from '../support/git-repo.ts'
import { gitWithHome, interrupt, WAYS, type Way } from '../support/interrupt-command.ts'
import { waitFor } from '../support/wait-for.ts'

let ao: AoHome
afterEach(async () => {
  expect(await ao.cleanup()).toEqual([])
})

interface Moment {
  name: string
  /** What git does with which file when it is interrupted. */
  at: string
  command(id: string): string[]
  before(id: string): void
}

const MOMENTS: Moment[] = [
  {
    name: 'a restore from the archive, while the files are checked out',
    at: 'smudge tracked.slow',
    command: (id) => ['session', 'restore', id],
    before: (id) => void ao.ok(['session', 'kill', id, '--purge']),
  },
  {
    name: 'a restore of a killed session whose workspace is gone, while the files are checked out',
    at: 'smudge tracked.slow',
    command: (id) => ['session', 'restore', id],
    before: (id) => {
      ao.ok(['session', 'kill', id, '--purge'])
      // The record is active again, the workspace is missing.
      const archive = join(ao.sessionFile(id), '..', 'archive')
      copyFileSync(join(archive, readdirSync(archive)[0]!), ao.sessionFile(id))
    },
  },
  {
    name: 'a restore, while the saved work comes back',
    at: 'smudge work.slow',
    command: (id) => ['session', 'restore', id],
    before: (id) => void ao.ok(['session', 'kill', id, '--purge']),
  },
  {
    name: 'a purge, while the work is saved',
    at: 'clean work.slow',
    command: (id) => ['session', 'kill', id, '--purge'],
    before: () => undefined,
  },
  {
    name: 'a cleanup, while the work is saved',
    at: 'clean work.slow',
    command: () => ['session', 'cleanup'],
    before: (id) => void ao.ok(['session', 'kill', id]),
  },
]

const KINDS: Kind[] = ['worktree', 'clone']
const CASES = cover(MOMENTS, KINDS).map(([moment, kind]) => ({ kind, moment }))

describe.each(cover(CASES, WAYS))('workspace $kind', ({ kind, moment }, way) => {
  it(`${moment.name}: ${way}`, () => interruptAndRestore(kind, moment, way))
})

async function interruptAndRestore(kind: Kind, moment: Moment, way: Way): Promise<void> {
  ao = await createHomeWithSlowFilter(kind)
  const id = ao.spawn()
  const path = workspacePath(kind, id)
  writeFileSync(join(path, 'work.slow'), 'uncommitted work\n')
  writeFileSync(join(path, 'README.md'), 'staged work\n')
  git(path, ao.env, 'add', 'README.md')
  rmSync(join(path, 'src', '3.txt'))
  const files = filesIn(path)
  const status = git(path, ao.env, 'status', '--porcelain')
  moment.before(id)

  await runUntil(moment, id, way)
  ao.ok(['session', 'restore', id])
  expect(filesIn(path)).toEqual(files)
  expect(git(path, ao.env, 'status', '--porcelain')).toBe(status)
  expect(ao.list().map((one) => [one.id, one.status])).toEqual([[id, 'working']])
  expect(gitWithHome(ao.home)).toEqual([])
  expect(leftovers(kind)).toEqual([`.${id}.json`, id])

  if (way !== 'node and git killed') return
  // And the rescue that came back is done with: what is clean now stays clean.
  git(path, ao.env, 'add', '--all')
  git(path, ao.env, 'commit', '--quiet', '-m', 'all of it')
  ao.ok(['session', 'kill', id, '--purge'])
  ao.ok(['session', 'restore', id])
  expect(filesIn(path)).toEqual(files)
  expect(git(path, ao.env, 'status', '--porcelain')).toBe('')
}

/** Starts the command, waits until git is at the file, ends it. */
async function runUntil({ at, command }: Moment, id: string, way: Way): Promise<void> {
  const armed = join(ao.home, 'armed')
  const reached = join(ao.home, 'reached')
  writeFileSync(armed, at)
  const child = spawn(process.execPath, [ao.program, ...command(id)], { cwd: ao.repo, env: ao.env, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await waitFor(`git to ${at}`, () => existsSync(reached))
  interrupt(child.pid!, way)
  await ended
  rmSync(armed)
  rmSync(reached)
}

async function createHomeWithSlowFilter(kind: Kind): Promise<AoHome> {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`src/${n}.txt`, `${n}\n`]))
  const agent = 'agent: generic\nagentConfig: { command: [sh, -c, exec cat, agent, "{promptFile}"] }'
  const home = await createAoHome({
    files: { ...files, '.gitattributes': '*.slow filter=slow\n', 'README.md': '# app\n', 'tracked.slow': 'tracked\n' },
    projectYaml: `workspace: ${kind}\n${agent}`,
  })
  const script = join(home.home, 'slow.sh')
  const lines = [
    '#!/bin/sh',
    `if [ "$(cat '${home.home}/armed' 2>/dev/null)" = "$1 $2" ]; then touch '${home.home}/reached'; sleep 600; fi`,
    'exec cat',
  ]
  writeFileSync(script, `${lines.join('\n')}\n`, { mode: 0o755 })
  const filter = `[filter "slow"]\n\tsmudge = '${script}' smudge %f\n\tclean = '${script}' clean %f\n\trequired\n`
  appendFileSync(join(home.home, '.gitconfig'), filter)
  return home
}

function workspacePath(kind: Kind, id: string): string {
  return join(ao.home, kind === 'worktree' ? '.worktrees' : '.ao-clones', 'app', id)
}

function filesIn(path: string): Record<string, string> {
  return Object.fromEntries(Object.entries(fingerprint(path)).filter(([name]) => !name.startsWith('.ao/')))
}

/** Workspaces, records and trash. */
function leftovers(kind: Kind): string[] {
  const base = join(workspacePath(kind, 'x'), '..')
  const trash = join(base, '..', '.ao-trash')
  return [...readdirSync(base), ...(existsSync(trash) ? readdirSync(trash) : [])].sort()
}
