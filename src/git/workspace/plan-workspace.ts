// What a workspace is made from: the options of both plugins that make one, its directory, where its branch comes from, and what
// earlier sessions of the same name left.
import { existsSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { AoError, errorText } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { isSafeBranch } from '../../core/session/name-branch.ts'
import { systemClock } from '../../lib/clock.ts'
import { withLock } from '../../lib/lock.ts'
import type { Log } from '../../lib/log.ts'
import { MAX_FOREIGN_BYTES, readPlainText } from '../../lib/plain-file.ts'
import { userHome } from '../../lib/process/own-home.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { WorkspaceSpec } from '../../slots/workspace.ts'
import { branchNames, gitOn, type Repository, resolveRef } from '../repository.ts'
import { listRescues, openRescue, readRescueCommit, settleRescue } from '../rescue/rescue-commit.ts'

export const directoryOption = z.optional(z.string("must be a directory's path").check(z.minLength(1, 'is empty')))

/**
 * The absolute directory that contains all workspaces. `~` is the home; relative paths are resolved beside
 * agent-orchestrator.yaml.
 */
export function baseDirectory(given: string, context: PluginContext): string {
  const home = userHome(context.home, context.env)
  if (given === '~') return home
  if (given.startsWith('~/')) return join(home, given.slice(2))
  return isAbsolute(given) ? resolve(given) : resolve(context.configDir, given)
}

export function workspacePath(base: string, spec: { projectId: string; sessionId: string }): string {
  for (const [what, name] of Object.entries({ 'project id': spec.projectId, 'session id': spec.sessionId })) {
    if (!isSafeName(name)) {
      throw new AoError('WORKSPACE_FAILED', `The ${what} ${JSON.stringify(name)} cannot be a directory's name`)
    }
  }
  return join(base, spec.projectId, spec.sessionId)
}

export function checkBranch(spec: WorkspaceSpec): void {
  if (isSafeBranch(spec.branch)) return
  throw new AoError('WORKSPACE_FAILED', `${JSON.stringify(spec.branch)} cannot be a branch's name`, {
    hint: 'Choose another with: --branch <name>',
    details: { branch: spec.branch },
  })
}

export interface BranchPlan {
  /** false: the branch already exists and is used as it is. */
  isNew: boolean
  /** Full name of the ref it starts from; the branch itself when it exists. */
  from: string
  /** The commit it starts from. */
  tip: string
}

/** A workspace that is being made. */
export interface WorkspaceJob {
  spec: WorkspaceSpec
  path: string
  repository: Repository
  plan: BranchPlan
  log: Log
  /** Recreated for a session: it counts as unfinished until its work is restored (keep-restored.ts). */
  isRestore?: boolean
}

/**
 * The branch itself, else the one on origin, which is fetched first, else the default branch as origin has it, else the local
 * default branch.
 */
export async function planBranch(repository: Repository, spec: WorkspaceSpec): Promise<BranchPlan> {
  const { branch, onProgress = () => undefined } = spec
  const { defaultBranch } = spec.project
  await fetchOrigin(repository, onProgress)
  const own = `refs/heads/${branch}`
  const candidates = [
    own,
    `refs/remotes/origin/${branch}`,
    `refs/remotes/origin/${defaultBranch}`,
    `refs/heads/${defaultBranch}`,
  ]
  for (const from of candidates) {
    const tip = await resolveRef(repository, from)
    if (tip !== null) return { isNew: from !== own, from, tip }
  }
  throw await noBase(repository, defaultBranch)
}

async function noBase(repository: Repository, defaultBranch: string): Promise<AoError> {
  const names = await branchNames(repository)
  if (names.length === 0) {
    return new AoError('WORKSPACE_FAILED', `The repository ${repository.commonDir} has no commit yet`, {
      hint: 'Make a first commit, for example: git commit --allow-empty -m start',
    })
  }
  const there = names.join(', ')
  return new AoError('WORKSPACE_FAILED', `There is no branch ${defaultBranch} to start from; there are: ${there}`, {
    hint: 'Name one of them with --base, or set it as defaultBranch of the project',
    details: { defaultBranch, branches: names },
  })
}

/** For a recreated workspace: the branch, then the commit its rescue was based on, then as for a new one. */
export async function planRestoredBranch(repository: Repository, spec: WorkspaceSpec): Promise<BranchPlan> {
  const own = `refs/heads/${spec.branch}`
  const tip = await resolveRef(repository, own)
  if (tip !== null) return { isNew: false, from: own, tip }
  const rescue = await openRescue(repository, spec.sessionId)
  const parts = rescue && (await readRescueCommit(repository, rescue.commit))
  if (parts?.head && parts.headRef === own) return { isNew: true, from: parts.head, tip: parts.head }
  return planBranch(repository, spec)
}

/** The session's own branch is gone: it starts again, perhaps without its commits, which the user must know. */
export function noteNewBranch({ branch, onProgress, onNotice }: WorkspaceSpec, { from, tip }: BranchPlan): void {
  if (from === tip)
    onProgress?.(`The branch ${branch} is gone; it starts again from the commit its saved work stood on`)
  else (onNotice ?? onProgress)?.(`The branch ${branch} is gone; it starts again from ${from}`)
}

const FRESH_MS = 30_000
const FETCH_TIMEOUT_MS = 10_000

/**
 * At most one fetch per repository and half minute, across all processes, and never a reason to fail. Offline work must remain
 * possible.
 */
async function fetchOrigin(repository: Repository, onProgress: (line: string) => void): Promise<void> {
  if (!hasOrigin(repository) || isFresh(repository)) return
  if (wouldMoveBranches(repository)) {
    onProgress('Did not fetch from origin: remote.origin.fetch would move branches of this repository')
    return
  }
  try {
    await withLock(join(repository.commonDir, 'ao-fetch.lock'), () => fetchOnce(repository), {
      timeoutMs: FETCH_TIMEOUT_MS + 2_000,
    })
  } catch (error) {
    onProgress(`Could not fetch from origin, continuing with the local branches: ${errorText(error)}`)
  }
}

async function fetchOnce(repository: Repository): Promise<void> {
  // The previous holder of the lock has just done it.
  if (isFresh(repository)) return
  await gitOn(repository, ['fetch', '--quiet', '--no-recurse-submodules', 'origin'], {
    timeoutMs: FETCH_TIMEOUT_MS,
    lockWaitMs: 0,
  })
}

function hasOrigin(repository: Repository): boolean {
  const config = readPlainText(join(repository.commonDir, 'config'))
  return /^[ \t]*\[remote "origin"\]/m.test(config)
}

/** A refspec of the repository that writes to its own branches: an agent could move the base branch with our fetch. */
function wouldMoveBranches(repository: Repository): boolean {
  const config = readPlainText(join(repository.commonDir, 'config'))
  return /^[ \t]*fetch\s*=.*:\s*refs\/(?!remotes\/|tags\/|notes\/)/im.test(config)
}

/** Git touches FETCH_HEAD when it starts, so an unresponsive remote is not retried immediately either. */
function isFresh(repository: Repository): boolean {
  const fetchHead = statSync(join(repository.commonDir, 'FETCH_HEAD'), { throwIfNoEntry: false })
  return fetchHead !== undefined && Math.abs(systemClock.now().getTime() - fetchHead.mtimeMs) < FRESH_MS
}

/** A new session may have the id of one whose records are gone; the other's work must never appear in it. */
export async function settleForNewSession(repository: Repository, sessionId: string): Promise<void> {
  if (!mayHaveRescues(repository, sessionId)) return
  const open = (await listRescues(repository, sessionId)).filter((rescue) => !rescue.settled)
  for (const rescue of open) await settleRescue(repository, sessionId, rescue)
}

/** From the files, because there are nearly always none. */
function mayHaveRescues({ commonDir }: Repository, sessionId: string): boolean {
  const loose = join(commonDir, 'refs', 'ao', 'rescue', sessionId)
  if (existsSync(loose) || existsSync(join(commonDir, 'reftable'))) return true
  const packed = join(commonDir, 'packed-refs')
  return (
    existsSync(packed) &&
    readPlainText(packed, { maxBytes: MAX_FOREIGN_BYTES }).includes(` refs/ao/rescue/${sessionId}/`)
  )
}
