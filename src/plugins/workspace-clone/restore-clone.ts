// Recreates a missing clone, and restores rescued work from the project's repository into it.

import { openRepository, type Repository } from '../../git/repository.ts'
import { applyRescue } from '../../git/rescue/apply-rescue.ts'
import { openRescue } from '../../git/rescue/rescue-refs.ts'
import { fetchOrigin } from '../../git/transfer/fetch-origin.ts'
import { gitIn, requireCheckout } from '../../git/workspace/checkout.ts'
import { markedEnv } from '../../git/workspace/own-git.ts'
import { noteNewBranch, planRestoredBranch } from '../../git/workspace/plan-branch.ts'
import { clearAbandoned, isMadeElsewhere } from '../../git/workspace/record.ts'
import { checkBranch } from '../../git/workspace/workspace-options.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { Rescue, WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { addClone } from './add-clone.ts'
import { isClone } from './list-clones.ts'
import { clearClone } from './remove-clone.ts'
import { fetchFrom } from './snapshot-clone.ts'

export async function restoreClone(spec: WorkspaceSpec, path: string, context: PluginContext): Promise<WorkspaceInfo> {
  checkBranch(spec)
  const { sessionId, projectId, branch } = spec
  await clearAbandoned(path, (at, record) => clearClone(at, record, context.log), isMadeElsewhere)
  const repository = openRepository(spec.project.path, context.env)
  if (isClone(path, repository)) return { path, branch, sessionId, projectId, branchCreated: false }
  const onProgress = spec.onProgress ?? (() => undefined)
  const plan = await planRestoredBranch(repository, spec, () => fetchOrigin(repository, onProgress))
  if (plan.isNew) noteNewBranch(spec, plan)
  return addClone({ spec, path, repository, plan, log: context.log, isRestore: true })
}

export async function applyRescueToClone(path: string, sessionId: string, store: Repository): Promise<Rescue | null> {
  const rescue = await openRescue(store, sessionId)
  if (rescue === null) return null
  const checkout = requireCheckout(path, markedEnv(path, store.env))
  await gitIn(checkout, fetchFrom(store.commonDir, [`+${rescue.ref}:${rescue.ref}`]))
  return applyRescue({ checkout, rescue })
}
