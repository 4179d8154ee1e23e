// A working tree with its git directory: what the rescue reads and restores.
import { AoError } from '../../contract/errors.ts'
import type { ExecResult } from '../../lib/exec.ts'
import { type GitOptions, runGit, tryGit } from '../git.ts'
import { locateGit } from '../git-dir.ts'
import { unquotePath } from '../quoted-path.ts'

export interface Checkout {
  path: string
  gitDir: string
  commonDir: string
  env: NodeJS.ProcessEnv
}

type GitCallOptions = Omit<GitOptions, 'env'>

/** null: not a working tree that git understands. */
export function openCheckout(path: string, env: NodeJS.ProcessEnv): Checkout | null {
  const location = locateGit(path)
  return location && { path, gitDir: location.gitDir, commonDir: location.commonDir, env }
}

export function requireCheckout(path: string, env: NodeJS.ProcessEnv): Checkout {
  const checkout = openCheckout(path, env)
  if (checkout !== null) return checkout
  throw new AoError('WORKSPACE_FAILED', `${path} is not a working tree that git understands`, { details: { path } })
}

/** The file at a path as git prints it. */
export function fileOf(checkout: Checkout, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${checkout.path}/`), unquotePath(path)])
}

export function gitIn(checkout: Checkout, args: readonly string[], options: GitCallOptions = {}): Promise<string> {
  return runGit(checkout.path, args, withLockWait(checkout, options))
}

export function tryGitIn(
  checkout: Checkout,
  args: readonly string[],
  options: GitCallOptions = {},
): Promise<ExecResult> {
  return tryGit(checkout.path, args, withLockWait(checkout, options))
}

/** Lines of an output, without the empty one after the last newline. */
export async function gitLines(
  checkout: Checkout,
  args: readonly string[],
  options: GitCallOptions = {},
): Promise<string[]> {
  const output = await gitIn(checkout, args, options)
  return output.split('\n').filter((line) => line !== '')
}

function withLockWait(checkout: Checkout, options: GitCallOptions): GitOptions {
  // Large untracked files are hashed and compressed here.
  return { timeoutMs: 10 * 60_000, maxOutputBytes: 256 * 1024 * 1024, ...options, env: checkout.env }
}
