// A session of the local forge with `gh` as its agent calls it: the wrapper first on PATH, no gh and no jq anywhere.
import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/lib/clock.ts'
import { type AoHome, createAoHome, type RunResult } from './ao-home.ts'
import { createFakeIo } from './fake-io.ts'
import { git } from './git-repo.ts'

export interface GhSession {
  ao: AoHome
  id: string
  worktree: string
  gh(args: string[], more?: { env?: NodeJS.ProcessEnv; input?: string; cwd?: string }): RunResult
  /** The answer of `ao gh`, which the wrapper starts, in this process: for tables of many calls, of which others go all the way. */
  answer(args: string[]): Promise<Pick<RunResult, 'stdout' | 'stderr' | 'exitCode'>>
  /** What it printed, in this process too; a failure fails the test with the output. */
  ok(...args: string[]): Promise<string>
  json<T = unknown>(...args: string[]): Promise<T>
  commit(file: string, text: string, message: string): void
}

const CI = [
  { name: 'unit', run: 'test ! -e answer.txt || grep -q good answer.txt' },
  { name: 'lint', run: 'true' },
]
/** A project of the local forge whose pull requests are checked. */
export const GH_PROJECT = { tracker: 'local', scm: { plugin: 'local', ci: { commands: CI } } }

const PROJECT = `agent: generic
agentConfig: { command: [sh, -c, 'echo ready; exec cat'] }
tracker: local
scm: ${JSON.stringify(GH_PROJECT.scm)}`

/**
 * A store from before issues and pull requests shared one sequence: what is opened in `open` gets the number of an issue that
 * is there. Recorded calls name both as 1.
 */
export async function numberedAsBefore<T>(
  { ao, id }: Pick<GhSession, 'ao' | 'id'>,
  open: () => T | Promise<T>,
): Promise<T> {
  const showIssues = hideIssues(join(ao.sessionFile(id), '..', '..'))
  try {
    return await open()
  } finally {
    showIssues()
  }
}

/** The same in the directory of a project, until the function that it returns is called. */
export function hideIssues(project: string): () => void {
  renameSync(join(project, 'issues'), join(project, 'issues-of-before'))
  rmSync(join(project, '.last-number'), { force: true })
  return () => renameSync(join(project, 'issues-of-before'), join(project, 'issues'))
}

export async function createGhSession(projectYaml = PROJECT): Promise<GhSession> {
  const ao = await createAoHome({ projectYaml })
  const id = ao.spawn('work')
  const worktree = ao.worktree(id)
  const tools = join(ao.home, 'tools')
  mkdirSync(tools)
  for (const tool of ['git', 'sh', 'bash', 'env', 'cat', 'grep']) {
    const path = spawnSync('which', [tool], { encoding: 'utf8' }).stdout.trim()
    writeFileSync(join(tools, tool), `#!/bin/sh\nexec ${path} "$@"\n`, { mode: 0o755 })
  }
  const own = {
    ...ao.env,
    PATH: `${join(ao.home, '.ao', 'bin')}:${tools}`,
    AO_SESSION: id,
    AO_PROJECT_ID: 'app',
    AO_CALLER_TYPE: 'agent',
    AO_GH_FACADE: 'ao gh',
    AO_CONFIG_PATH: join(ao.repo, 'agent-orchestrator.yaml'),
    AO_DATA_DIR: join(ao.sessionFile(id), '..'),
  }
  const gh: GhSession['gh'] = (args, more = {}) => {
    const env = { ...own, ...more.env }
    const done = spawnSync('gh', args, { cwd: more.cwd ?? worktree, env, encoding: 'utf8', input: more.input ?? '' })
    return { stdout: done.stdout, stderr: done.stderr, exitCode: done.status, signal: done.signal }
  }
  const answer: GhSession['answer'] = async (args) => {
    const { ghCommand } = await import('../../src/gh/gh-command.ts')
    const { io, stdout, stderr } = createFakeIo({ env: own, home: ao.home, cwd: worktree, clock: systemClock })
    const exitCode = await ghCommand.runRaw!(args, io)
    await io.end()
    return { stdout: stdout(), stderr: stderr(), exitCode }
  }
  const ok = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await answer(args)
    if (exitCode !== 0) throw new Error(`gh ${args.join(' ')} ended with ${exitCode}: ${stderr}${stdout}`)
    return stdout
  }
  return {
    ao,
    id,
    worktree,
    gh,
    answer,
    ok,
    json: async <T>(...args: string[]) => JSON.parse(await ok(...args)) as T,
    commit(file, text, message) {
      writeFileSync(join(worktree, file), text)
      git(worktree, ao.env, 'add', '--', file)
      git(worktree, ao.env, 'commit', '--quiet', '-m', message)
    },
  }
}
