// Removing the workspace of a spawn that did not come to its end.
import type { ProjectConfig } from '../../contract/config.ts'
import type { Workspace, WorkspaceInfo } from '../../slots/workspace.ts'

/** Nothing that was written meanwhile is lost: it is saved first, and what cannot be saved is not removed. */
export async function takeBackWorkspace(
  workspace: Workspace,
  info: WorkspaceInfo,
  project: ProjectConfig,
): Promise<void> {
  if (info.path === project.path) return
  if (await workspace.exists(info.path, project)) await workspace.snapshot?.(info.path, info.sessionId)
  if (workspace.undoCreate) return workspace.undoCreate(info, project)
  await workspace.destroy(info.path)
}
