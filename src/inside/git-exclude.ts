// Keeps `.ao/` out of git through the repository's own `info/exclude`, so that no tracked file changes.
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { commonGitDir } from '../git/git-dir.ts'
import { readIfThere } from '../lib/plain-file.ts'

const ENTRY = '/.ao/'
const ALREADY_EXCLUDED = /^\/?\.ao\/?\s*$/m

export function excludeAoDirectory(workspacePath: string): void {
  excludeFromGit(workspacePath, ENTRY, ALREADY_EXCLUDED)
}

/** All worktrees share the file, so this is needed once per repository. Without a repository there is nothing to do. */
export function excludeFromGit(workspacePath: string, entry: string, alreadyExcluded: RegExp): void {
  const commonDir = commonGitDir(workspacePath)
  if (commonDir === null) return
  const info = join(commonDir, 'info')
  const file = join(info, 'exclude')
  const text = readIfThere(file) ?? ''
  if (alreadyExcluded.test(text)) return
  mkdirSync(info, { recursive: true })
  // Appended in one write, not replaced: the file is the user's, and nothing that others add meanwhile may be lost. Two
  // spawns at once may both add the line; git treats them as one.
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${entry}\n`)
}
