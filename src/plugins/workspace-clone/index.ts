// Workspace plugin `clone`: a separate repository per session at `{cloneDir}/{projectId}/{sessionId}`.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { branchOf } from '../../git/checkouts.ts'
import { detectGit } from '../../git/detect-git.ts'
import { locateGit } from '../../git/git-dir.ts'
import { openRepository, type Repository, resolveRef } from '../../git/repository.ts'
import { applyRescue } from '../../git/rescue/apply-rescue.ts'
import { keepRestored } from '../../git/rescue/keep-restored.ts'
import { openRescue } from '../../git/rescue/rescue-commit.ts'
import { gitIn, requireCheckout } from '../../git/workspace/checkout.ts'
import {
  baseDirectory,
  checkBranch,
  directoryOption,
  noteNewBranch,
  planRestoredBranch,
  workspacePath,
} from '../../git/workspace/plan-workspace.ts'
import { prepareWorkspace, tearDownWorkspace } from '../../git/workspace/post-create.ts'
import {
  clearAbandoned,
  isMadeElsewhere,
  isUnfinished,
  listRecords,
  markedEnv,
  markedOwner,
  readRecord,
} from '../../git/workspace/record.ts'
import { sweepTrash } from '../../git/workspace/trash.ts'
import { undoCreate } from '../../git/workspace/undo-create.ts'
import { findWorkspaceLeftovers } from '../../git/workspace/workspace-leftovers.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import type { Rescue, Workspace, WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { addClone, createClone } from './add-clone.ts'
import { clearClone, removeClone, rollBackClone } from './remove-clone.ts'
import { fetchFrom, snapshotClone } from './snapshot-clone.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'workspace',
    name: 'clone',
    description: 'A clone of the repository per session',
  },
  options: z.strictObject({ cloneDir: directoryOption }),
  create: ({ cloneDir }, context) =>
    createCloneWorkspace(baseDirectory(cloneDir ?? join(context.home, '.ao-clones'), context), context),
  detect: detectGit,
})

function createCloneWorkspace(base: string, context: PluginContext): Workspace {
  const { env, log } = context

  async function destroy(path: string): Promise<void> {
    await removeClone(resolve(path), log)
    for (const left of sweepTrash(base)) log.warn(`could not be removed from the trash: ${left}`)
  }

  return {
    name: 'clone',
    pathFor: (spec) => workspacePath(base, spec),
    gitFor: (_project, path) => ({ gitDir: join(path, '.git'), commonDir: join(path, '.git'), linked: false }),
    ownerOf: (path) => markedOwner(resolve(path)),
    hasBranch: async (project, branch) => {
      return (await resolveRef(openRepository(project.path, env), `refs/heads/${branch}`)) !== null
    },
    create: (spec) => createClone(spec, workspacePath(base, spec), context),
    postCreate: (info, spec) => prepareWorkspace(info, spec, context),
    preRemove: (path, spec) => tearDownWorkspace(path, spec, context),
    exists: async (path, project) => isClone(path, project && openRepository(project.path, env)),
    snapshot: (path, sessionId) => snapshotClone(path, sessionId, env),
    destroy,
    restore: (spec, path) => restoreClone(spec, resolve(path), context),
    applyRescue: (path, sessionId, project) => {
      return applyRescueToClone(path, sessionId, openRepository(project.path, env))
    },
    keepRestored: (path, sessionId, project) => keepRestored(path, sessionId, openRepository(project.path, env)),
    rollBack: (path) => rollBackClone(resolve(path), log),
    undoCreate: (info, project) => undoCreate({ info, project, env, destroy }),
    async leftovers(projectId, project) {
      const repository = openRepository(project.path, env)
      const isSound = (path: string) => isClone(path, repository)
      return findWorkspaceLeftovers({ directory: join(base, projectId), repository, isSound, destroy })
    },
    list: async (projectId, project) => listClones(openRepository(project.path, env), base, projectId),
  }
}

/** Recreates a missing clone, and restores rescued work from the project's repository into it. */
async function restoreClone(spec: WorkspaceSpec, path: string, context: PluginContext): Promise<WorkspaceInfo> {
  checkBranch(spec)
  const { sessionId, projectId, branch } = spec
  await clearAbandoned(path, (at, record) => clearClone(at, record, context.log), isMadeElsewhere)
  const repository = openRepository(spec.project.path, context.env)
  if (isClone(path, repository)) return { path, branch, sessionId, projectId, branchCreated: false }
  const plan = await planRestoredBranch(repository, spec)
  if (plan.isNew) noteNewBranch(spec, plan)
  return addClone({ spec, path, repository, plan, log: context.log, isRestore: true })
}

async function applyRescueToClone(path: string, sessionId: string, store: Repository): Promise<Rescue | null> {
  const rescue = await openRescue(store, sessionId)
  if (rescue === null) return null
  const checkout = requireCheckout(path, markedEnv(path, store.env))
  await gitIn(checkout, fetchFrom(store.commonDir, [`+${rescue.ref}:${rescue.ref}`]))
  return applyRescue({ checkout, rescue })
}

/** With `repository`: a clone made from that one. An unfinished one is not a clone yet. */
function isClone(path: string, repository?: Repository): boolean {
  if (isUnfinished(path)) return false
  if (locateGit(path)?.linked !== false) return false
  const record = readRecord(path)
  return repository === undefined || record === null || record.repository === repository.commonDir
}

/** According to the records next to them. */
function listClones(repository: Repository, base: string, projectId: string): WorkspaceInfo[] {
  return listRecords(join(base, projectId))
    .filter(({ path, record }) => record.repository === repository.commonDir && existsSync(join(path, '.git')))
    .map(({ path, record }) => ({
      path,
      branch: branchOf(join(path, '.git')) ?? record.branch,
      sessionId: record.sessionId,
      projectId,
      branchCreated: record.branchCreated,
    }))
}
