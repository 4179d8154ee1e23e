// Workspace plugin `worktree`: an ordinary git worktree per session at `{worktreeDir}/{projectId}/{sessionId}`.
import { basename, join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { detectGit } from '../../git/detect-git.ts'
import { commonGitDir } from '../../git/git-dir.ts'
import { openRepository, resolveRef } from '../../git/repository.ts'
import { applyRescue } from '../../git/rescue/apply-rescue.ts'
import { keepRestored } from '../../git/rescue/keep-restored.ts'
import { openRescue, settleForNewSession } from '../../git/rescue/rescue-refs.ts'
import { fetchOrigin } from '../../git/transfer/fetch-origin.ts'
import { requireCheckout } from '../../git/workspace/checkout.ts'
import { markedEnv } from '../../git/workspace/own-git.ts'
import { planBranch } from '../../git/workspace/plan-branch.ts'
import { prepareWorkspace, tearDownWorkspace } from '../../git/workspace/post-create.ts'
import { clearAbandoned, markedOwner } from '../../git/workspace/record.ts'
import { sweepTrash } from '../../git/workspace/trash.ts'
import { undoCreate } from '../../git/workspace/undo-create.ts'
import { findWorkspaceLeftovers } from '../../git/workspace/workspace-leftovers.ts'
import { baseDirectory, checkBranch, directoryOption, workspacePath } from '../../git/workspace/workspace-options.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import type { Workspace } from '../../slots/workspace.ts'
import { addWorktree } from './add-worktree.ts'
import { isWorktree, listWorktrees } from './list-worktrees.ts'
import { clearWorktree, removeWorktree, rollBackWorktree } from './remove-worktree.ts'
import { repairWorktree } from './repair-worktree.ts'
import { restoreWorktree } from './restore-worktree.ts'
import { snapshotWorktree } from './snapshot-worktree.ts'

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
      const commonDir = commonGitDir(project.path)
      if (commonDir === null) return null
      return { gitDir: join(commonDir, 'worktrees', basename(path)), commonDir, linked: true }
    },
    ownerOf: (path) => markedOwner(resolve(path)),
    async create(spec) {
      checkBranch(spec)
      const path = workspacePath(base, spec)
      const repository = openRepository(spec.project.path, env)
      await clearAbandoned(path, (at, record) => clearWorktree(at, record, context))
      await fetchOrigin(repository, spec.onProgress ?? (() => undefined))
      const plan = await planBranch(repository, spec.branch, spec.project.defaultBranch)
      const onClaimed = () => settleForNewSession(repository, spec.sessionId)
      return addWorktree({ spec, path, repository, plan, log, onClaimed })
    },
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
