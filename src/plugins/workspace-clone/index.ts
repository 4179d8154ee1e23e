// Workspace plugin `clone`: a separate repository per session at `{cloneDir}/{projectId}/{sessionId}`.
import { join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { detectGit } from '../../git/detect-git.ts'
import { openRepository, resolveRef } from '../../git/repository.ts'
import { keepRestored } from '../../git/rescue/keep-restored.ts'
import { settleForNewSession } from '../../git/rescue/rescue-refs.ts'
import { fetchOrigin } from '../../git/transfer/fetch-origin.ts'
import { planBranch } from '../../git/workspace/plan-branch.ts'
import { prepareWorkspace, tearDownWorkspace } from '../../git/workspace/post-create.ts'
import { clearAbandoned, markedOwner } from '../../git/workspace/record.ts'
import { sweepTrash } from '../../git/workspace/trash.ts'
import { undoCreate } from '../../git/workspace/undo-create.ts'
import { findWorkspaceLeftovers } from '../../git/workspace/workspace-leftovers.ts'
import { baseDirectory, checkBranch, directoryOption, workspacePath } from '../../git/workspace/workspace-options.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import type { Workspace } from '../../slots/workspace.ts'
import { addClone, rollBackClone } from './add-clone.ts'
import { isClone, listClones } from './list-clones.ts'
import { clearClone, removeClone } from './remove-clone.ts'
import { applyRescueToClone, restoreClone } from './restore-clone.ts'
import { snapshotClone } from './snapshot-clone.ts'

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
    async create(spec) {
      checkBranch(spec)
      const path = workspacePath(base, spec)
      const repository = openRepository(spec.project.path, env)
      await clearAbandoned(path, (at, record) => clearClone(at, record, log))
      await fetchOrigin(repository, spec.onProgress ?? (() => undefined))
      const plan = await planBranch(repository, spec.branch, spec.project.defaultBranch)
      const onClaimed = () => settleForNewSession(repository, spec.sessionId)
      return addClone({ spec, path, repository, plan, log, onClaimed })
    },
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
