// Which checkouts a repository has and what they have checked out, from git's own files.
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readIfReachable } from '../lib/plain-file.ts'
import type { Repository } from './repository.ts'

/** One entry of `git worktree list`, without the main checkout. */
export interface Registration {
  /** The worktree's private part of the repository. */
  gitDir: string
  path: string
  branch: string | null
  /** The lock reason, possibly ''. */
  locked: string | null
}

export function listRegistrations(repository: Repository): Registration[] {
  return registeredDirs(repository).flatMap((gitDir) => readRegistration(gitDir) ?? [])
}

/** Of the others no more than the path is read: there may be hundreds. */
export function findRegistration(repository: Repository, path: string): Registration | null {
  const wanted = realOrSame(path)
  const found = registeredDirs(repository).find((gitDir) => {
    const registered = registeredPath(gitDir)
    return registered !== null && realOrSame(registered) === wanted
  })
  return found === undefined ? null : readRegistration(found)
}

function registeredDirs({ commonDir }: Repository): string[] {
  const directory = join(commonDir, 'worktrees')
  return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : []
}

/**
 * Entries for a worktree of this name that a power loss left unreadable: git did not sync them. One makes every command about
 * worktrees fail, in the whole repository. Only for a name that nobody is creating.
 */
export function tornRegistrations(repository: Repository, name: string): string[] {
  const directory = join(repository.commonDir, 'worktrees')
  const names = existsSync(directory) ? readdirSync(directory) : []
  // Git adds a number when the name is taken.
  return names
    .filter((one) => one.startsWith(name) && /^\d*$/.test(one.slice(name.length)))
    .map((one) => join(directory, one))
    .filter((gitDir) => ['HEAD', 'commondir', 'gitdir'].some((file) => isTorn(join(gitDir, file))))
}

/** Each of them is one line. */
function isTorn(path: string): boolean {
  return !/^[^\0\n]+\n$/.test(readIfReachable(path) ?? '')
}

/** Directory of the checkout that has the branch (also in the middle of rebasing it), or null. */
export function whereCheckedOut(repository: Repository, branch: string): string | null {
  if (branchOf(repository.commonDir) === branch) return mainCheckout(repository)
  return listRegistrations(repository).find((one) => one.branch === branch)?.path ?? null
}

/** The branch that HEAD in this git directory points to, or null. */
export function branchOf(gitDir: string): string | null {
  for (const file of ['rebase-merge/head-name', 'rebase-apply/head-name']) {
    const rebased = textOf(join(gitDir, file))
    if (rebased?.startsWith('refs/heads/')) return rebased.slice('refs/heads/'.length)
  }
  const head = textOf(join(gitDir, 'HEAD'))
  return head?.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : null
}

function readRegistration(gitDir: string): Registration | null {
  const path = registeredPath(gitDir)
  return path === null ? null : { gitDir, path, branch: branchOf(gitDir), locked: textOf(join(gitDir, 'locked')) }
}

/** null: it is being created or removed by another git right now, or is what a power loss left of one. */
function registeredPath(gitDir: string): string | null {
  const link = textOf(join(gitDir, 'gitdir'))
  return link !== null && /^[^\0]*\/\.git$/.test(link) ? dirname(resolve(gitDir, link)) : null
}

function mainCheckout(repository: Repository): string {
  const { commonDir } = repository
  return basename(commonDir) === '.git' ? dirname(commonDir) : commonDir
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // The worktree is gone; its parent may still be reached through a link.
    return existsSync(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path
  }
}

function textOf(path: string): string | null {
  return readIfReachable(path)?.trim() ?? null
}
