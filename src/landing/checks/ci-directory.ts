// The disposable worktree that CI runs in: one per project, in its data directory, removed after every run; what a crashed
// run left there (files, registration, processes) is removed before the next.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findRegistration, tornRegistrations } from '../../git/checkouts.ts'
import { fillExactly } from '../../git/guard/exact-checkout.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { stopProcesses } from '../../lib/process/process-tree.ts'
import { removeFile, removeTree } from '../../lib/remove.ts'

export interface CiDirectory {
  lock: string
  worktree: string
  /** The marker of the current or last run. */
  run: string
}

/** Git names its entry for a worktree after the directory: one that a power loss tore is surely of this place, and of no other. */
export function ciDirectory(projectDir: string): CiDirectory {
  const directory = join(projectDir, 'ci')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const name = `ci-${createHash('sha256').update(directory).digest('hex').slice(0, 12)}`
  return { lock: join(directory, 'lock'), worktree: join(directory, name), run: join(directory, 'run') }
}

/** Runs `work` in a checkout of the commit. Only under its lock. */
export async function withCheckout<T>(
  ci: CiDirectory,
  repository: Repository,
  { commit, marker }: { commit: string; marker: string },
  work: () => Promise<T>,
): Promise<T> {
  await clear(ci, repository)
  writeFileAtomic(ci.run, `${marker}\n`)
  failpoint('ci.announced')
  try {
    const add = ['worktree', 'add', '--quiet', '--detach', '--force', '--no-checkout', ci.worktree, commit]
    await gitOn(repository, add)
    await fillExactly(repository, ci.worktree, commit)
    failpoint('ci.checked-out')
    return await work()
  } finally {
    await clear(ci, repository)
  }
}

/** What a killed run left: its processes, its worktree. Only under the lock of the place. */
export async function clearCi(ci: CiDirectory, repository: Repository): Promise<void> {
  if (holdsSomething(ci)) await clear(ci, repository)
}

export function holdsSomething(ci: CiDirectory): boolean {
  return [ci.run, ...worktreesOf(ci)].some((path) => existsSync(path))
}

/** The second name was once that of every place. */
function worktreesOf({ worktree }: CiDirectory): string[] {
  return [worktree, join(dirname(worktree), 'work')]
}

async function clear(ci: CiDirectory, repository: Repository): Promise<void> {
  const marker = readMarker(ci.run)
  if (marker !== null) await stopProcesses(marker, [], { graceMs: 0 })
  for (const torn of tornRegistrations(repository, basename(ci.worktree))) removeTree(torn)
  for (const path of worktreesOf(ci)) await forget(path, repository)
  removeFile(ci.run)
}

async function forget(path: string, repository: Repository): Promise<void> {
  const registration = findRegistration(repository, path)
  if (registration !== null) {
    const removed = await tryGitOn(repository, ['worktree', 'remove', '--force', '--force', path])
    // A power loss may have torn what leads from the worktree to its entry.
    if (!removed.ok) removeTree(registration.gitDir)
  }
  removeTree(path, { maxRetries: 3 })
}

function readMarker(file: string): string | null {
  return readIfThere(file)?.trim() || null
}
