// The project's preRemove commands. The work is saved by now, so whatever they do costs none; and a command that fails does
// not keep a session from being removed.
import { requireTrust } from '../../config/trust/trust.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { OtherEvent } from '../../contract/events.ts'
import type { SessionRecord } from '../../contract/record.ts'
import type { Workspace } from '../../slots/workspace.ts'
import type { ManagerContext } from '../context.ts'
import { variablesOf } from '../launch/plan.ts'
import type { OnProgress } from '../types.ts'

interface Leaving {
  project: ProjectConfig
  sessionId: string
  onProgress: OnProgress
  onNotice?: OnProgress | undefined
  workspace: Workspace
  record: SessionRecord
  path: string
}

/** The events of what failed. */
export async function tearDown(
  context: ManagerContext,
  { project, sessionId, workspace, record, path, onProgress, onNotice }: Leaving,
): Promise<OtherEvent[]> {
  if (!workspace.preRemove || (project.preRemove ?? []).length === 0) return []
  const branch = record.branch ?? ''
  const { issue: issueId = null, firstPort } = record
  const stateDir = context.paths.project(project.id).stateDir(sessionId)
  const variables = variablesOf(context.config, { project, sessionId, branch, issueId, path, firstPort })
  try {
    const { paths, env, config } = context
    requireTrust(config, { home: paths.home, env, projectId: project.id, kinds: ['postCreate'] })
    await workspace.preRemove(path, {
      projectId: project.id,
      project,
      sessionId,
      branch,
      stateDir,
      variables,
      onProgress,
    })
    return []
  } catch (error) {
    const why = errorText(error)
    onNotice?.(`${sessionId} is removed all the same, but its preRemove did not succeed: ${why}`)
    return [{ type: 'hook.failed', hook: 'preRemove', error: why }]
  }
}
