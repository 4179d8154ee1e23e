// Creates a clone on its branch, all or nothing: it is built next to its path and appears there in one step.
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { whereCheckedOut } from '../../git/checkouts.ts'
import { runGit } from '../../git/git.ts'
import { openRepository, type Repository } from '../../git/repository.ts'
import { settleForNewSession } from '../../git/rescue/rescue-refs.ts'
import { type BranchPlan, checkBranch, planBranch } from '../../git/workspace/plan-workspace.ts'
import {
  claimPath,
  clearAbandoned,
  creationEnv,
  listRecords,
  newRecord,
  updateRecord,
  type WorkspaceRecord,
  writeMarker,
} from '../../git/workspace/record.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Log } from '../../lib/log.ts'
import { syncFileSystems } from '../../lib/sync-file-systems.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { adoptSettings } from './adopt-settings.ts'
import { clearClone, growingPath, rollBackClone } from './remove-clone.ts'

const CLONE_TIMEOUT_MS = 30 * 60_000

export interface CloneJob {
  spec: WorkspaceSpec
  path: string
  repository: Repository
  plan: BranchPlan
  log: Log
  /** Recreated for a session: it counts as unfinished until its work is restored (keep-restored.ts). */
  isRestore?: boolean
}

/** For a new session. */
export async function createClone(spec: WorkspaceSpec, path: string, context: PluginContext): Promise<WorkspaceInfo> {
  checkBranch(spec)
  const repository = openRepository(spec.project.path, context.env)
  await clearAbandoned(path, (at, record) => clearClone(at, record, context.log))
  const plan = await planBranch(repository, spec)
  return addClone({ spec, path, repository, plan, log: context.log })
}

export async function addClone(job: CloneJob): Promise<WorkspaceInfo> {
  const { spec, path, repository, plan, log } = job
  requireFreeBranch(job)
  const record: WorkspaceRecord = { ...newRecord(spec, repository, plan.isNew), base: plan.tip }
  claimPath(path, record)
  failpoint('clone.create.recorded')
  try {
    if (!job.isRestore) await settleForNewSession(repository, spec.sessionId)
    await makeClone(job, record)
    failpoint('clone.create.placed')
    if (!job.isRestore) {
      await syncFileSystems([path])
      updateRecord(path, { ...record, state: 'ready' })
    }
  } catch (error) {
    await rollBackClone(path, log).catch((failure) => {
      log.warn(`could not roll back the clone ${path}`, { error: errorText(failure) })
      updateRecord(path, { ...record, owner: 'nobody' })
    })
    throw error
  }
  const { sessionId, projectId, branch } = spec
  return { path, branch, sessionId, projectId, branchCreated: plan.isNew }
}

async function makeClone(job: CloneJob, record: WorkspaceRecord): Promise<void> {
  const { path, repository, plan, spec } = job
  const growing = growingPath(path)
  rmSync(growing, { recursive: true, force: true })
  const options = { env: repository.env, timeoutMs: CLONE_TIMEOUT_MS, extraEnv: creationEnv(record) }
  // Objects are hard links or copies, never borrowed: later changes to the project cannot break the clone.
  const borrows = existsSync(join(repository.commonDir, 'objects', 'info', 'alternates'))
  const independent = borrows ? ['--dissociate'] : []
  const cloning = ['clone', '--quiet', '--local', '--no-checkout', '--origin', 'origin', ...independent]
  await runGit(dirname(path), [...cloning, repository.commonDir, growing], options)
  failpoint('clone.create.cloned')
  await adoptSettings({ repository, project: spec.project, clone: growing })
  await runGit(growing, ['checkout', '--quiet', '--no-track', '-B', spec.branch, plan.tip], { ...options, hooks: true })
  writeMarker(join(growing, '.git'), record)
  renameSync(growing, path)
}

/** Two sessions on one branch would overwrite each other's commits when they return to the project. */
function requireFreeBranch({ repository, spec, path }: CloneJob): void {
  const { branch } = spec
  const others = listRecords(dirname(path)).filter((one) => one.path !== path && existsSync(one.path))
  const clone = others.find(({ record }) => record.repository === repository.commonDir && record.branch === branch)
  const holder = whereCheckedOut(repository, branch) ?? clone?.path
  if (holder === undefined) return
  throw new AoError('BRANCH_TAKEN', `The branch ${branch} is checked out in ${holder}`, {
    details: { branch, path: holder },
  })
}
