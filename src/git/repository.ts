// The project's repository as the workspaces see it: where its data is and how git is run on it.
import { AoError } from '../contract/errors.ts'
import type { ExecResult } from '../lib/exec.ts'
import { type GitOptions, runGit, tryGit } from './git.ts'
import { locateGit } from './git-dir.ts'

export interface Repository {
  /** Objects, refs, configuration. */
  commonDir: string
  env: NodeJS.ProcessEnv
}

type GitCallOptions = Omit<GitOptions, 'env'>

export function openRepository(path: string, env: NodeJS.ProcessEnv): Repository {
  const location = locateGit(path)
  if (location !== null) return { commonDir: location.commonDir, env }
  throw new AoError('WORKSPACE_FAILED', `${path} is not a git repository`, {
    hint: `Check the project's path, or make it one with: git init '${path}'`,
    details: { path },
  })
}

/** Runs git on the repository itself, whatever checkouts it has. */
export function gitOn(repository: Repository, args: readonly string[], options: GitCallOptions = {}): Promise<string> {
  return runGit(repository.commonDir, onRepository(repository, args), { ...options, env: repository.env })
}

export function tryGitOn(
  repository: Repository,
  args: readonly string[],
  options: GitCallOptions = {},
): Promise<ExecResult> {
  return tryGit(repository.commonDir, onRepository(repository, args), { ...options, env: repository.env })
}

export async function hasCommit(repository: Repository, commit: string): Promise<boolean> {
  return (await tryGitOn(repository, ['cat-file', '-e', `${commit}^{commit}`], { read: true })).ok
}

function onRepository(repository: Repository, args: readonly string[]): string[] {
  return [`--git-dir=${repository.commonDir}`, ...args]
}
