// What a repository says about itself: root, name, remote, branch that work starts from. Reads only, and runs none of its
// code.
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { RemoteForge } from '../../core/forge/decide-forge.ts'
import { gitFailure, tryGit } from '../../git/git.ts'
import { mainCheckout } from '../../git/git-dir.ts'
import { readProjectRemote } from '../../git/transfer/project-remote.ts'
import { type ForeignSetup, findForeignSetup } from './foreign-setup.ts'

export interface DetectedProject {
  /** Root of the main checkout. */
  root: string
  /** Root of the checkout that the command was run in: the same, or a linked worktree. */
  checkout: string
  /** The directory's name, sanitized. */
  id: string
  /** null: there is no remote, or it is a local path. */
  remote: (RemoteForge & { name: string }) | null
  /** The name of a remote that is not a repository on a forge, such as a path. */
  pathRemote: string | null
  defaultBranch: string
  /** Where the branch was found, in words. */
  defaultBranchWhy: string
  /** false: nothing is committed yet, so a worktree cannot be created. */
  hasCommits: boolean
  /** A command that prepares a fresh checkout, inferred from its lock file. */
  setupCommand: string | null
  hasSubmodules: boolean
  /** What another tool's file says about worktrees; null: there is none. */
  foreign: ForeignSetup | null
}

interface Git {
  root: string
  /** Output of a git command, null when it fails. */
  ask(...args: string[]): Promise<string | null>
}

export async function detectProject(options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<DetectedProject> {
  const checkout = await findRoot(options)
  // Work belongs to the repository, not to one of its worktrees, which may be gone tomorrow.
  const root = mainCheckout(checkout) ?? checkout
  const git: Git = {
    root,
    ask: async (...args) => {
      const result = await tryGit(root, args, { env: options.env, read: true, timeoutMs: 10_000 })
      return result.ok && result.stdout.trim() !== '' ? result.stdout.trim() : null
    },
  }
  const found = await readProjectRemote(root, options.env)
  const branch = await findDefaultBranch(git, found?.name ?? 'origin')
  return {
    root,
    checkout,
    id: safeId(basename(root)),
    remote: found?.forge ? { ...found.forge, name: found.name } : null,
    pathRemote: found && !found.forge ? found.name : null,
    defaultBranch: branch.name,
    defaultBranchWhy: branch.why,
    hasCommits: (await git.ask('rev-parse', '--verify', '--quiet', 'HEAD')) !== null,
    setupCommand: findSetupCommand(root),
    hasSubmodules: hasSubmodules(root),
    foreign: findForeignSetup(root),
  }
}

async function findRoot({ cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }): Promise<string> {
  const args = ['rev-parse', '--show-toplevel']
  const result = await tryGit(cwd, args, { env, read: true, timeoutMs: 10_000 })
  if (result.ok) return result.stdout.replace(/\n$/, '')
  if (result.exitCode === null || result.startError) throw gitFailure(cwd, args, result)
  const bare = await tryGit(cwd, ['rev-parse', '--is-bare-repository'], { env, read: true, timeoutMs: 10_000 })
  if (bare.stdout.trim() === 'true') {
    throw new AoError('USAGE', `${cwd} is a bare repository, which has no files to work on`, {
      hint: 'Go to a checkout of it, or make one: git worktree add ../checkout',
      details: { cwd },
    })
  }
  throw new AoError('USAGE', `${cwd} is not inside a git repository`, {
    hint: 'Create one with: git init',
    details: { cwd, stderr: result.stderr.trim() },
  })
}

async function findDefaultBranch(git: Git, remote: string): Promise<{ name: string; why: string }> {
  const head = await git.ask('symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`)
  if (head?.startsWith(`${remote}/`)) return { name: head.slice(remote.length + 1), why: `${remote}/HEAD` }

  const configured = await git.ask('config', '--get', 'init.defaultBranch')
  const current = await git.ask('symbolic-ref', '--quiet', '--short', 'HEAD')
  const usual = [...(configured === null ? [] : [configured]), 'main', 'master']
  if (current !== null && usual.includes(current)) return { name: current, why: 'the current branch' }
  for (const name of usual) {
    const found = await git.ask('rev-parse', '--verify', '--quiet', `refs/heads/${name}`)
    if (found !== null) return { name, why: `there is a branch ${name}` }
  }
  if (current !== null) return { name: current, why: 'the current branch' }
  return { name: usual[0]!, why: configured === null ? 'the usual name' : 'init.defaultBranch' }
}

function safeId(name: string): string {
  const safe = name
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 64)
  return safe === '' ? 'project' : safe
}

const SETUP_COMMANDS: ReadonlyArray<readonly [lockFile: string, command: string]> = [
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn install --immutable'],
  ['bun.lock', 'bun install --frozen-lockfile'],
  ['package-lock.json', 'npm ci'],
  ['uv.lock', 'uv sync'],
  ['poetry.lock', 'poetry install'],
  ['Gemfile.lock', 'bundle install'],
]

/** Their directories are empty in a new worktree. */
export const SUBMODULE_COMMAND = 'git submodule update --init --recursive'

function hasSubmodules(root: string): boolean {
  return existsSync(join(root, '.gitmodules'))
}

function findSetupCommand(root: string): string | null {
  return SETUP_COMMANDS.find(([lockFile]) => existsSync(join(root, lockFile)))?.[1] ?? null
}
