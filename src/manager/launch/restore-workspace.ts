// The workspace of a restored session: the existing one, or a new one with the saved work.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText, WorkspaceMissingError } from '../../contract/errors.ts'
import { failpoint } from '../../lib/failpoint.ts'
import type { Workspace, WorkspaceInfo, WorkspaceSpec } from '../../slots/workspace.ts'
import type { StoredSession } from '../../store/session/session-store.ts'
import type { ManagerContext } from '../context.ts'
import type { OnProgress } from '../types.ts'
import { rollBackRestored } from './roll-back.ts'
import type { Undo } from './undo.ts'

export interface WantedWorkspace {
  project: ProjectConfig
  sessionId: string
  stored: Pick<StoredSession, 'record'>
  path: string
  variables: Record<string, string>
  undo: Undo
  onProgress: OnProgress
  /** What the user has to know, even without --verbose. */
  onNotice: OnProgress
}

export async function restoreWorkspace(
  context: ManagerContext,
  workspace: Workspace,
  wanted: WantedWorkspace,
): Promise<void> {
  const { project, sessionId, path, onProgress } = wanted
  const { branch, place } = wanted.stored.record
  await workspace.rollBack?.(path)
  await workspace.repair?.(path, project)
  if (await workspace.exists(path, project)) {
    onProgress(`the workspace ${path} is there`)
    return workspace.keepRestored?.(path, sessionId, project)
  }
  if (!workspace.restore || branch === undefined) {
    throw new WorkspaceMissingError(
      path,
      branch ? `${workspace.name} cannot recreate workspaces` : 'its branch is not recorded',
    )
  }
  onProgress(`recreating ${path} on branch ${branch}`)
  const stateDir = context.paths.project(project.id).stateDir(sessionId)
  const spec: WorkspaceSpec = {
    projectId: project.id,
    project,
    sessionId,
    branch,
    fetchesNothing: place !== undefined,
    stateDir,
    variables: wanted.variables,
    onProgress,
    onNotice: wanted.onNotice,
  }
  const info = await recreate(workspace, spec, path)
  wanted.undo.push('workspace', () => rollBackRestored(workspace, path, wanted))
  failpoint('restore.workspace-created')
  await restoreWork(workspace, wanted)
  failpoint('restore.work-applied')
  await workspace.postCreate?.(info, spec)
  failpoint('restore.workspace-prepared')
  await workspace.keepRestored?.(path, sessionId, project)
  // The agent works in it from here on, so it must count as a workspace with work.
  if (!(await workspace.exists(path, project)))
    throw new WorkspaceMissingError(path, 'it disappeared while it was made')
  failpoint('restore.workspace-kept')
}

async function recreate(workspace: Workspace, spec: WorkspaceSpec, path: string): Promise<WorkspaceInfo> {
  try {
    return await workspace.restore!(spec, path)
  } catch (error) {
    throw new WorkspaceMissingError(path, errorText(error))
  }
}

/** Work that no longer applies to its branch stays in its ref and is reported; the session is restored without it. */
async function restoreWork(
  workspace: Workspace,
  { path, sessionId, project, onProgress, onNotice }: WantedWorkspace,
): Promise<void> {
  try {
    const rescue = await workspace.applyRescue?.(path, sessionId, project)
    onProgress(rescue ? `brought back the work saved in ${rescue.ref}` : 'there was no uncommitted work to bring back')
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'RESCUE_CONFLICT') throw error
    onNotice(`${error.message}${error.hint ? `. ${error.hint}` : ''}`)
  }
}
