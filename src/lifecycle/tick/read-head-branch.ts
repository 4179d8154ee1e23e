// The branch a workspace is on, from its files alone: no subprocess. null: detached, or not readable.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { locateGit } from '../../git/git-dir.ts'

export function readHeadBranch(workspacePath: string): string | null {
  try {
    const location = locateGit(workspacePath)
    if (location === null) return null
    const head = readFileSync(join(location.gitDir, 'HEAD'), 'utf8').trim()
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null
  } catch {
    // The recorded branch has to do.
    return null
  }
}
