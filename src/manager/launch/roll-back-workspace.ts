// Removes the workspace of an unfinished spawn or restore.
import type { ProjectConfig } from '../../contract/config.ts'
import type { Workspace, WorkspaceInfo } from '../../slots/workspace.ts'

/** Nothing written meanwhile is lost: it is saved first, and what cannot be saved is not removed. */
export async function rollBackWorkspace(
  workspace: Workspace,
  info: WorkspaceInfo,
  project: ProjectConfig,
): Promise<void> {
  if (info.path === project.path) return
  await workspace.rollBack?.(info.path)
  if (await workspace.exists(info.path, project)) await workspace.snapshot?.(info.path, info.sessionId)
  if (workspace.undoCreate) return workspace.undoCreate(info, project)
  await workspace.destroy(info.path)
}

/** The same for a recreated workspace. Until it was complete it contained no work: the rescue still holds it. */
export async function rollBackRestored(workspace: Workspace, path: string, about: Restored): Promise<void> {
  if (path === about.project.path) return
  if (await workspace.rollBack?.(path)) return
  if (await workspace.exists(path, about.project)) await workspace.snapshot?.(path, about.sessionId)
  await workspace.destroy(path)
}

interface Restored {
  project: ProjectConfig
  sessionId: string
}
