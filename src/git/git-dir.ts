// Where a checkout keeps its git data, from the files alone: no subprocess.
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readIfReachable } from '../lib/plain-file.ts'

export interface GitLocation {
  /** HEAD and index of this checkout. */
  gitDir: string
  /** Objects, refs and configuration, shared by all worktrees. */
  commonDir: string
  /** A worktree added to another checkout, as opposed to a main checkout, clone or bare repository. */
  linked: boolean
}

/** null: there is no repository at `path`, or its link is broken. Throws when it cannot be read. */
export function locateGit(path: string): GitLocation | null {
  const gitDir = findGitDir(path)
  if (gitDir === null || textOf(join(gitDir, 'HEAD')) === null) return null
  const common = textOf(join(gitDir, 'commondir'))
  const real = realpathSync(gitDir)
  if (common === null) return { gitDir: real, commonDir: real, linked: false }
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
  const isBare = /^\s*bare\s*=\s*true\s*$/im.test(textOf(join(location.commonDir, 'config')) ?? '')
  return isBare ? null : dirname(location.commonDir)
}

export function commonGitDir(path: string): string | null {
  return locateGit(path)?.commonDir ?? null
}

/** The target of a worktree's `.git` file, whether it still exists or not. null: there is no such file. */
export function readGitLink(path: string): string | null {
  const dotGit = join(path, '.git')
  if (isDirectory(dotGit)) return null
  const target = /^gitdir: (.+)$/m.exec(textOf(dotGit) ?? '')?.[1]
  return target === undefined ? null : resolve(path, target.trim())
}

/** The repository a worktree points to, if that is not the one it is in. */
export function misledCommonDir(path: string): string | null {
  const link = readGitLink(path)
  const common = link === null ? null : textOf(join(link, 'commondir'))
  if (link === null || common === null) return null
  const commonDir = resolve(link, common.trim())
  return commonDir === resolve(link, '..', '..') || !isDirectory(commonDir) ? null : commonDir
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

function textOf(path: string): string | null {
  return readIfReachable(path)
}
