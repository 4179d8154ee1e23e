// Recreates a missing worktree, on its branch if that can still be found.
import { AoError } from '../../contract/errors.ts'
import { readGitLink } from '../../git/git-dir.ts'
import { openRepository } from '../../git/repository.ts'
import { fetchOrigin } from '../../git/transfer/fetch-origin.ts'
import { noteNewBranch, planRestoredBranch } from '../../git/workspace/plan-branch.ts'
import { clearAbandoned, isMadeElsewhere } from '../../git/workspace/record.ts'
import { checkBranch } from '../../git/workspace/workspace-options.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import { addWorktree } from './add-worktree.ts'
import { isWorktree } from './list-worktrees.ts'
import { clearWorktree } from './remove-worktree.ts'

export async function restoreWorktree(
  spec: WorkspaceSpec,
  path: string,
  context: PluginContext,
): Promise<WorkspaceInfo> {
  checkBranch(spec)
  const { sessionId, projectId, branch } = spec
  await clearAbandoned(path, (at, record) => clearWorktree(at, record, context), isMadeElsewhere)
  const repository = openRepository(spec.project.path, context.env)
  if (isWorktree(path, repository)) return { path, branch, sessionId, projectId, branchCreated: false }
  const link = readGitLink(path)
  if (link !== null && !isWorktree(path)) throw unreachable(path, link)
  const onProgress = spec.onProgress ?? (() => undefined)
  const plan = await planRestoredBranch(repository, spec, () => fetchOrigin(repository, onProgress))
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
