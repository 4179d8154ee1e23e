// The branch a workspace is on, from its files alone: no subprocess. null: detached, or not readable.
import { join } from 'node:path'
import { locateGit } from '../../git/git-dir.ts'
import { readPlainText } from '../../lib/plain-file.ts'

export function readHeadBranch(workspacePath: string): string | null {
  try {
    const location = locateGit(workspacePath)
    if (location === null) return null
    const head = readPlainText(join(location.gitDir, 'HEAD')).trim()
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null
  } catch {
    // The recorded branch has to do.
    return null
  }
}
