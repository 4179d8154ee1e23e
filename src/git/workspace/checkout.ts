// A working tree with its git directory: what the rescue reads and restores.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { ExecResult } from '../../lib/exec.ts'
import { currentProcess, formatIdentity, mayBeAlive } from '../../lib/process/process-identity.ts'
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

const SCRATCH = 'ao-rescue-'

/** A directory for temporary indexes outside the working tree; what processes that have ended left is removed first. */
export async function withScratch<T>(
  { gitDir }: { gitDir: string },
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  for (const path of abandonedScratch(gitDir)) rmSync(path, { recursive: true, force: true })
  const scratch = mkdtempSync(join(gitDir, `${SCRATCH}${formatIdentity(currentProcess())}_`))
  try {
    return await work(scratch)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Those without an owner are of an earlier version. */
export function abandonedScratch(gitDir: string): string[] {
  return readdirSync(gitDir)
    .filter((name) => name.startsWith(SCRATCH) && !mayBeAlive(name.slice(SCRATCH.length).split('_', 1)[0]!))
    .map((name) => join(gitDir, name))
}

function withLockWait(checkout: Checkout, options: GitCallOptions): GitOptions {
  // Large untracked files are hashed and compressed here.
  return { timeoutMs: 10 * 60_000, maxOutputBytes: 256 * 1024 * 1024, ...options, env: checkout.env }
}
