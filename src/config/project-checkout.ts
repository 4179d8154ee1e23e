// From a workspace that ao made back to the project it was made from.
import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { locateGit } from '../git/git-dir.ts'
import { readPlainText } from '../lib/plain-file.ts'

/** The record that workspace plugins leave in the private git directory of what they made. */
const MARKER = 'ao-session'

/** The same directory in the project's own checkout. null: `directory` is in no workspace of ao. */
export function projectCheckout(directory: string): string | null {
  try {
    const root = findGitRoot(directory)
    const repository = root === null ? null : repositoryOf(root)
    if (root === null || repository === null || basename(repository) !== '.git') return null
    return join(dirname(repository), relative(root, directory))
  } catch {
    // No marker, or one that cannot be understood: it is a place like any other.
    return null
  }
}

function findGitRoot(directory: string): string | null {
  if (existsSync(join(directory, '.git'))) return directory
  const parent = dirname(directory)
  return parent === directory ? null : findGitRoot(parent)
}

function repositoryOf(root: string): string | null {
  const gitDir = locateGit(root)?.gitDir
  if (gitDir === undefined || !existsSync(join(gitDir, MARKER))) return null
  const { repository } = JSON.parse(readPlainText(join(gitDir, MARKER))) as { repository?: unknown }
  return typeof repository === 'string' ? repository : null
}
