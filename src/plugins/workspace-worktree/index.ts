// Workspace plugin `worktree`: an ordinary git worktree per session at `{worktreeDir}/{projectId}/{sessionId}`.

import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { AoError } from '../../contract/errors.ts'
import { detectGit } from '../../git/detect-git.ts'
import { locateGit, readGitLink } from '../../git/git-dir.ts'
import { openRepository, resolveRef } from '../../git/repository.ts'
import { applyRescue } from '../../git/rescue/apply-rescue.ts'
import { keepRestored, settleApplied } from '../../git/rescue/keep-restored.ts'
import { createRescueRef, openRescue } from '../../git/rescue/rescue-refs.ts'
import { saveRescue } from '../../git/rescue/save-rescue.ts'
import { openCheckout, requireCheckout } from '../../git/workspace/checkout.ts'
import { endOrphanedGit, markedEnv } from '../../git/workspace/own-git.ts'
import {
  baseDirectory,
  checkBranch,
  directoryOption,
  noteNewBranch,
  planRestoredBranch,
  workspacePath,
} from '../../git/workspace/plan-workspace.ts'
import { prepareWorkspace, tearDownWorkspace } from '../../git/workspace/post-create.ts'
import { clearAbandoned, isMadeElsewhere, markedOwner, readRecord } from '../../git/workspace/record.ts'
import { sweepTrash } from '../../git/workspace/trash.ts'
import { undoCreate } from '../../git/workspace/undo-create.ts'
import { findWorkspaceLeftovers } from '../../git/workspace/workspace-leftovers.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import type { Rescue, Workspace, WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { addWorktree, createWorktree } from './add-worktree.ts'
import { isWorktree, listWorktrees } from './list-worktrees.ts'
import { clearWorktree, removeWorktree, rollBackWorktree } from './remove-worktree.ts'
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
