// Ensures that files we put into a workspace are never committed by accident: what the repository does not ignore is added
// to its info/exclude, which is not tracked.
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { readIfThere } from '../lib/plain-file.ts'
import { tryGit } from './git.ts'
import { locateGit } from './git-dir.ts'

export async function keepOutOfGit(checkout: string, paths: string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (paths.length === 0) return
  const ignored = await ignoredAmong(checkout, paths, env)
  const missing = paths.filter((path) => !ignored.has(path)).map(excludePattern)
  if (missing.length === 0) return
  const file = excludeFile(checkout)
  if (file === null) throw new AoError('WORKSPACE_FAILED', `${checkout} is not a git repository`)
  appendPatterns(file, missing)
}

/** Which of the paths git ignores there. */
export async function ignoredAmong(checkout: string, paths: string[], env: NodeJS.ProcessEnv): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const input = paths.map((path) => `${path}\0`).join('')
  const result = await tryGit(checkout, ['check-ignore', '-z', '--stdin'], { env, read: true, input })
  // 1: none of them.
  if (!result.ok && result.exitCode !== 1) {
    throw new AoError('GIT_FAILED', `git check-ignore in ${checkout} failed: ${result.stderr.trim()}`)
  }
  return new Set(result.stdout.split('\0').filter((path) => path !== ''))
}

function appendPatterns(file: string, patterns: string[]): void {
  const before = readIfThere(file) ?? ''
  const excluded = new Set(before.split('\n'))
  const added = patterns.filter((pattern) => !excluded.has(pattern))
  if (added.length === 0) return
  mkdirSync(dirname(file), { recursive: true })
  // One write at the end, not a replacement: the file is the user's, nothing that others add meanwhile may be lost, and a
  // duplicate line does no harm.
  const start = before === '' || before.endsWith('\n') ? '' : '\n'
  appendFileSync(file, `${start}${added.join('\n')}\n`)
}

/** null: it is not a repository. */
function excludeFile(checkout: string): string | null {
  const location = locateGit(checkout)
  return location && join(location.commonDir, 'info', 'exclude')
}

/** Exactly this path: anchored, with all gitignore metacharacters escaped. */
function excludePattern(path: string): string {
  return `/${path.replace(/[\\*?[\]]/g, '\\$&').replace(/ $/, '\\ ')}`
}

export function excludeAoDirectory(workspacePath: string): void {
  excludeFromGit(workspacePath, '/.ao/', /^\/?\.ao\/?\s*$/m)
}

/** All worktrees share the file, so this is needed once per repository. Without a repository there is nothing to do. */
export function excludeFromGit(workspacePath: string, entry: string, alreadyExcluded: RegExp): void {
  const file = excludeFile(workspacePath)
  if (file !== null && !alreadyExcluded.test(readIfThere(file) ?? '')) appendPatterns(file, [entry])
}
