// Where a checkout keeps its git data and what it has checked out, from the files alone: no subprocess.
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { MAX_FOREIGN_BYTES, readIfReachable, readPlainText } from '../lib/plain-file.ts'
import type { WorkspaceGit } from '../slots/workspace.ts'

export type GitLocation = WorkspaceGit

/** null: there is no repository at `path`, or its link is broken. Throws when it cannot be read. */
export function locateGit(path: string): GitLocation | null {
  const gitDir = findGitDir(path)
  if (gitDir === null || textOf(join(gitDir, 'HEAD')) === null) return null
  const common = textOf(join(gitDir, 'commondir'))
  const real = realpathSync(gitDir)
  if (common === null) return { gitDir: real, commonDir: real, linked: false }
  if (isTorn(common)) return null
  const commonDir = resolve(real, common.trim())
  if (!isDirectory(commonDir)) return null
  return { gitDir: real, commonDir: realpathSync(commonDir), linked: true }
}

/**
 * The checkout that a linked worktree was added to. null: `path` is not the root of one, or the repository is bare. Only a
 * worktree that the repository itself lists: a `.git` file alone could point anywhere.
 */
export function mainCheckout(path: string): string | null {
  const location = locateGit(path)
  if (!location?.linked || basename(location.commonDir) !== '.git') return null
  if (dirname(location.gitDir) !== join(location.commonDir, 'worktrees')) return null
  const isBare = /^[ \t]*bare\s*=\s*true\s*$/im.test(textOf(join(location.commonDir, 'config')) ?? '')
  return isBare ? null : dirname(location.commonDir)
}

export function commonGitDir(path: string): string | null {
  return locateGit(path)?.commonDir ?? null
}

/** The target of a worktree's `.git` file, whether it still exists or not. null: there is no such file. */
export function readGitLink(path: string): string | null {
  const dotGit = join(path, '.git')
  if (isDirectory(dotGit)) return null
  const target = /^gitdir: ([^\0\n]+)$/m.exec(textOf(dotGit) ?? '')?.[1]
  return target === undefined ? null : resolve(path, target.trim())
}

function findGitDir(path: string): string | null {
  const dotGit = join(path, '.git')
  if (isDirectory(dotGit)) return dotGit
  const link = readGitLink(path)
  if (link !== null) return isDirectory(link) ? link : null
  return isDirectory(join(path, 'objects')) && isDirectory(join(path, 'refs')) ? path : null
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** What a power loss leaves of a path in a file. */
function isTorn(text: string): boolean {
  return text.trim() === '' || text.includes('\0')
}

function textOf(path: string): string | null {
  return readIfReachable(path)
}

/** What a checkout has checked out. */
export interface Head {
  /** null: detached or unreadable. */
  branch: string | null
  /** null: unborn or unreadable, or refs are stored in a format other than files. */
  commit: string | null
}

/** An agent may be writing at this moment: what cannot be read now is unknown. */
export function readHead(checkout: string): Head {
  try {
    const location = locateGit(checkout)
    const head = location && readPlainText(join(location.gitDir, 'HEAD')).trim()
    const branch = head && branchOf(head)
    if (!location || !head || !branch) return { branch: null, commit: head ? asCommit(head) : null }
    return { branch, commit: tipOf(location, `refs/heads/${branch}`) }
  } catch {
    return { branch: null, commit: null }
  }
}

/** null: also when it cannot be read now. */
function tipOf(location: GitLocation, ref: string): string | null {
  try {
    return asCommit(readIfReachable(join(location.commonDir, ref)) ?? '') ?? packedCommit(location, ref)
  } catch {
    return null
  }
}

function branchOf(head: string): string | null {
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null
}

function packedCommit({ commonDir }: GitLocation, ref: string): string | null {
  const line = readIfReachable(join(commonDir, 'packed-refs'), { maxBytes: MAX_FOREIGN_BYTES })
    ?.split('\n')
    .find((one) => one.endsWith(` ${ref}`))
  return line === undefined ? null : asCommit(line.split(' ')[0]!)
}

function asCommit(text: string): string | null {
  return /^[0-9a-f]{40,64}$/.test(text.trim()) ? text.trim() : null
}
