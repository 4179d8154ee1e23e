// Workspace plugin `worktree`: an ordinary git worktree per session at `{worktreeDir}/{projectId}/{sessionId}`, created on its branch,
// all or nothing. `--no-track` avoids the configuration's lock: with tracking, most of a hundred parallel adds fail and each leaves
// its branch behind.

import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { AoError, errorText } from '../../contract/errors.ts'
import { findRegistration, whereCheckedOut } from '../../git/checkouts.ts'
import { deleteBranchWithoutWork } from '../../git/delete-branch.ts'
import { detectGit } from '../../git/detect-git.ts'
import { gitFailure, lastLines, tryGit } from '../../git/git.ts'
import { locateGit, readGitLink } from '../../git/git-dir.ts'
import { queueForRepository } from '../../git/git-locks.ts'
import { openRepository, resolveRef } from '../../git/repository.ts'
import { applyRescue } from '../../git/rescue/apply-rescue.ts'
import { keepRestored, settleApplied } from '../../git/rescue/keep-restored.ts'
import { createRescueRef, openRescue } from '../../git/rescue/rescue-commit.ts'
import { saveRescue } from '../../git/rescue/save-rescue.ts'
import { clearBranchLock } from '../../git/rescue/stale-locks.ts'
import { openCheckout, requireCheckout } from '../../git/workspace/checkout.ts'
import { endOrphanedGit } from '../../git/workspace/own-git.ts'
import {
  baseDirectory,
  checkBranch,
  directoryOption,
  noteNewBranch,
  planBranch,
  planRestoredBranch,
  settleForNewSession,
  type WorkspaceJob,
  workspacePath,
} from '../../git/workspace/plan-workspace.ts'
import { prepareWorkspace, tearDownWorkspace } from '../../git/workspace/post-create.ts'
import {
  claimPath,
  clearAbandoned,
  creationEnv,
  isMadeElsewhere,
  markedEnv,
  markedOwner,
  newRecord,
  pathTaken,
  readRecord,
  updateRecord,
  type WorkspaceRecord,
  writeMarker,
} from '../../git/workspace/record.ts'
import { sweepTrash } from '../../git/workspace/trash.ts'
import { undoCreate } from '../../git/workspace/undo-create.ts'
import { findWorkspaceLeftovers } from '../../git/workspace/workspace-leftovers.ts'
import type { ExecResult } from '../../lib/exec.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { syncFileSystems } from '../../lib/sync-file-systems.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import type { Rescue, Workspace, WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { isWorktree, listWorktrees } from './list-worktrees.ts'
import { clearWorktree, forgetMissingWorktree, removeWorktree, rollBackWorktree } from './remove-worktree.ts'
import { repairWorktree } from './repair-worktree.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'workspace',
    name: 'worktree',
    description: 'A git worktree per session',
  },
  options: z.strictObject({ worktreeDir: directoryOption }),
  create: ({ worktreeDir }, context) =>
    createWorktreeWorkspace(baseDirectory(worktreeDir ?? join(context.home, '.worktrees'), context), context),
  detect: detectGit,
})

function createWorktreeWorkspace(base: string, context: PluginContext): Workspace {
  const { env, log } = context

  async function destroy(path: string): Promise<void> {
    await removeWorktree(resolve(path), base, context)
    for (const left of sweepTrash(base)) log.warn(`could not be removed from the trash: ${left}`)
  }

  return {
    name: 'worktree',
    pathFor: (spec) => workspacePath(base, spec),
    gitFor(project, path) {
      const commonDir = locateGit(project.path)?.commonDir
      if (commonDir === undefined) return null
      return { gitDir: join(commonDir, 'worktrees', basename(path)), commonDir, linked: true }
    },
    ownerOf: (path) => markedOwner(resolve(path)),
    create: (spec) => createWorktree(spec, workspacePath(base, spec), context),
    postCreate: (info, spec) => prepareWorkspace(info, spec, context),
    preRemove: (path, spec) => tearDownWorkspace(path, spec, context),
    exists: async (path, project) => isWorktree(path, project && openRepository(project.path, env)),
    snapshot: (path, sessionId) => snapshotWorktree(path, sessionId, env),
    destroy,
    restore: (spec, path) => restoreWorktree(spec, resolve(path), context),
    async applyRescue(path, sessionId, project) {
      const store = openRepository(project.path, env)
      const rescue = await openRescue(store, sessionId)
      return rescue && applyRescue({ checkout: requireCheckout(path, markedEnv(path, env)), rescue })
    },
    keepRestored: (path, sessionId, project) => keepRestored(path, sessionId, openRepository(project.path, env)),
    repair: (path, project) => repairWorktree(resolve(path), openRepository(project.path, env), context),
    rollBack: (path) => rollBackWorktree(resolve(path), context),
    undoCreate: (info, project) => undoCreate({ info, project, env, destroy }),
    hasBranch: async (project, branch) => {
      return (await resolveRef(openRepository(project.path, env), `refs/heads/${branch}`)) !== null
    },
    async leftovers(projectId, project) {
      const repository = openRepository(project.path, env)
      const isSound = (path: string) => isWorktree(path, repository)
      return findWorkspaceLeftovers({ directory: join(base, projectId), repository, isSound, destroy })
    },
    list: async (projectId, project) => listWorktrees(openRepository(project.path, env), base, projectId),
  }
}

/** Recreates a missing worktree, on its branch if that can still be found. */
async function restoreWorktree(spec: WorkspaceSpec, path: string, context: PluginContext): Promise<WorkspaceInfo> {
  checkBranch(spec)
  const { sessionId, projectId, branch } = spec
  await clearAbandoned(path, (at, record) => clearWorktree(at, record, context), isMadeElsewhere)
  const repository = openRepository(spec.project.path, context.env)
  if (isWorktree(path, repository)) return { path, branch, sessionId, projectId, branchCreated: false }
  const link = readGitLink(path)
  if (link !== null && !isWorktree(path)) throw unreachable(path, link)
  const plan = await planRestoredBranch(repository, spec)
  if (plan.isNew) noteNewBranch(spec, plan)
  return addWorktree({ spec, path, repository, plan, log: context.log, isRestore: true })
}

/** The repository was moved or renamed: the files are all there, so nothing is created over them. */
function unreachable(path: string, link: string): AoError {
  return new AoError('WORKSPACE_FAILED', `The worktree ${path} belongs to ${link}, which no longer exists`, {
    hint: `If the repository was moved, run in it: git worktree repair '${path}'`,
    details: { path, link },
  })
}

/** Saves the work in a worktree before it is removed. */
async function snapshotWorktree(path: string, sessionId: string, env: NodeJS.ProcessEnv): Promise<Rescue | null> {
  const record = readRecord(path)
  // Nobody has worked in it: what an interrupted restore left must not replace the saved work.
  if (!existsSync(path) || record?.state === 'creating') return null
  if (record !== null) await endOrphanedGit(path, record)
  const checkout = openCheckout(path, markedEnv(path, env))
  if (checkout === null) {
    throw new AoError(
      'WORKSPACE_NOT_SAVED',
      `${path} is not a working tree that git understands, so it cannot be saved`,
      {
        hint: `If the repository was moved, run in it: git worktree repair '${path}'`,
        details: { path },
      },
    )
  }
  await settleApplied(path, sessionId, checkout)
  return saveRescue({
    checkout,
    sessionId,
    store: checkout,
    publish: (ref, commit) => createRescueRef(checkout, ref, commit),
  })
}

const ADD_TIMEOUT_MS = 10 * 60_000

/** For a new session. */
async function createWorktree(spec: WorkspaceSpec, path: string, context: PluginContext): Promise<WorkspaceInfo> {
  checkBranch(spec)
  const repository = openRepository(spec.project.path, context.env)
  await clearAbandoned(path, (at, record) => clearWorktree(at, record, context))
  const plan = await planBranch(repository, spec)
  return addWorktree({ spec, path, repository, plan, log: context.log })
}

async function addWorktree(job: WorkspaceJob): Promise<WorkspaceInfo> {
  const { spec, path, repository, plan } = job
  if (!plan.isNew) await requireFreeBranch(job)
  const record = newRecord(spec, repository, plan.isNew)
  claimPath(path, record)
  failpoint('worktree.create.recorded')
  try {
    if (!job.isRestore) await settleForNewSession(repository, spec.sessionId)
    // Of a git that died with the agent, or with the machine.
    else await clearBranchLock(repository, spec.branch)
    await queueForRepository(repository.commonDir, () => runAdd(job, record))
    failpoint('worktree.create.added')
  } catch (error) {
    return rollBackAdd(job, record, error)
  }
  if (!job.isRestore) record.state = 'ready'
  const settled = writeMarks(path, record)
  // Whoever takes it over is at work there when it fails, and rolls it back then.
  if (spec.onSettling) spec.onSettling(settled)
  else await settled.catch((error) => rollBackAdd(job, record, error))
  const { sessionId, projectId, branch } = spec
  return { path, branch, sessionId, projectId, branchCreated: plan.isNew }
}

async function rollBackAdd(job: WorkspaceJob, record: WorkspaceRecord, why: unknown): Promise<never> {
  const { path, repository, log } = job
  if (record.state === 'ready') updateRecord(path, { ...record, state: 'creating' })
  await rollBackWorktree(path, { env: repository.env, log }).catch((failure) => {
    log.warn(`could not roll back the worktree ${path}`, { error: errorText(failure) })
    // Nothing is working on it, though this process is still running: the next create or destroy finishes it.
    updateRecord(path, { ...record, state: 'creating', owner: 'nobody' })
  })
  throw why
}

/** Until its record says so, a crash or a power loss leaves nothing but an unfinished worktree. */
async function writeMarks(path: string, record: WorkspaceRecord): Promise<void> {
  const location = locateGit(path)
  if (!location?.linked) throw new AoError('WORKSPACE_FAILED', `git made no worktree at ${path}`)
  // Git syncs neither its files nor its registration; a restore does it when its work is there, too.
  if (record.state === 'ready') await syncFileSystems([path, location.gitDir])
  writeMarker(location.gitDir, record)
  failpoint('worktree.create.marked')
  updateRecord(path, record)
}

async function runAdd(job: WorkspaceJob, record: WorkspaceRecord): Promise<void> {
  const args = addArguments(job)
  const result = await addPatiently(job, args, record)
  if (result.ok) return
  if (await clearOldRegistration(job, result)) return runAdd(job, record)
  if (isComplete(job)) {
    // Git runs post-checkout last and passes its exit code on; by then the worktree is complete.
    job.spec.onProgress?.(`The repository's post-checkout hook failed: ${lastLines(result.stderr, 2)}`)
    return
  }
  // Somebody else created that branch meanwhile: it is not ours to roll back.
  if (/a branch named .{1,1000} already exists/.test(result.stderr)) record.branchCreated = false
  throw explainFailure(job, args, result)
}

function addPatiently({ plan, spec, repository }: WorkspaceJob, args: string[], record: WorkspaceRecord) {
  return tryGit(spec.project.path, args, {
    env: repository.env,
    hooks: true,
    timeoutMs: ADD_TIMEOUT_MS,
    extraEnv: creationEnv(record),
    // Git makes the branch first, and meets a lock or a torn entry of another worktree afterwards.
    beforeRetry: async () => plan.isNew && deleteBranchWithoutWork(repository, spec.branch),
  })
}

function addArguments(job: WorkspaceJob): string[] {
  const { path, plan, spec } = job
  if (!plan.isNew) return ['worktree', 'add', '--quiet', path, spec.branch]
  return ['worktree', 'add', '--quiet', '--no-track', '-b', spec.branch, path, plan.tip]
}

function isComplete(job: WorkspaceJob): boolean {
  const registration = findRegistration(job.repository, job.path)
  if (registration === null || registration.locked !== null) return false
  return registration.branch === job.spec.branch && existsSync(join(registration.gitDir, 'index'))
}

/** Git still has a worktree of ours at this path whose directory is long gone. true: no longer. */
async function clearOldRegistration(job: WorkspaceJob, result: ExecResult): Promise<boolean> {
  if (!/is a missing but (?:already registered|locked) worktree/.test(result.stderr)) return false
  // Git creates the branch before it checks the path.
  if (job.plan.isNew) await deleteBranchWithoutWork(job.repository, job.spec.branch)
  return forgetMissingWorktree(job.repository, job.path)
}

async function requireFreeBranch({ repository, spec }: WorkspaceJob): Promise<void> {
  const holder = whereCheckedOut(repository, spec.branch)
  if (holder === null) return
  if (!existsSync(holder) && (await forgetMissingWorktree(repository, holder))) return
  throw branchTaken(spec.branch, holder)
}

function branchTaken(branch: string, holder: string): AoError {
  const gone = existsSync(holder) ? '' : ', whose directory is gone (git worktree prune forgets it)'
  return new AoError('BRANCH_TAKEN', `The branch ${branch} is checked out in ${holder}${gone}`, {
    details: { branch, path: holder },
  })
}

function explainFailure(job: WorkspaceJob, args: string[], result: ExecResult): AoError {
  const { spec, path, repository } = job
  const holder = /already (?:checked out|used by worktree) at '([^']+)'/.exec(result.stderr)?.[1]
  if (holder !== undefined) return branchTaken(spec.branch, holder)
  const blocking = /'refs\/heads\/([^']+)' exists; cannot create/.exec(result.stderr)?.[1]
  if (blocking !== undefined) {
    const message = `The branch ${spec.branch} cannot be made while there is a branch ${blocking}`
    return new AoError('BRANCH_TAKEN', message, { details: { branch: spec.branch, blocking } })
  }
  if (/a branch named .{1,1000} already exists/.test(result.stderr)) {
    const path = whereCheckedOut(repository, spec.branch)
    if (path !== null) return branchTaken(spec.branch, path)
    const message = `Another command has just made the branch ${spec.branch}`
    return new AoError('BRANCH_TAKEN', message, { details: { branch: spec.branch } })
  }
  if (/^fatal: '.*' already exists$/m.test(result.stderr)) return pathTaken(path, 'something has just appeared there')
  return gitFailure(spec.project.path, args, result)
}
