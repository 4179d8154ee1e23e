// From the loaded plugins of a launch to its plan. Reads only.
import type { ProjectConfig } from '../../contract/config.ts'
import { type LaunchKind, type LaunchPlan, planLaunch } from '../../core/session/plan-launch.ts'
import type { Role } from '../../core/session/resolve-launch.ts'
import type { ManagerContext } from '../context.ts'
import { ownEnvironment } from './agent-environment.ts'
import { agentLaunch, environmentRequest, type LaunchParts, type LaunchRequest, launchCommand } from './launch.ts'

export interface LaunchSubject {
  kind: LaunchKind
  project: ProjectConfig
  parts: LaunchParts
  sessionId: string
  spawnId: string
  launch: number
  role: Role
  /** null: the project's own directory. */
  workspacePlugin: string | null
  path: string
  branch: string | null
  issueId: string | null
  prompt: string | null
}

export async function makePlan(context: ManagerContext, subject: LaunchSubject): Promise<LaunchPlan> {
  const { kind, project, parts, sessionId } = subject
  const request: LaunchRequest = { ...subject, workspacePath: subject.path }
  const preview = agentLaunch(context, request)
  return planLaunch({
    kind,
    project: project.id,
    session: sessionId,
    spawnId: subject.spawnId,
    launch: subject.launch,
    role: subject.role,
    agent: parts.agent.name,
    runtime: parts.runtime.name,
    place: parts.runtime.elsewhere?.place ?? null,
    permissions: parts.choice.permissions,
    model: parts.choice.model,
    workspacePlugin: subject.workspacePlugin,
    path: subject.path,
    branch: subject.branch,
    issue: subject.issueId,
    prompt: subject.prompt,
    takesPrompt: parts.promptDelivery,
    // Whether an ended agent can resume is checked in its workspace, once that exists.
    command: kind === 'restore' ? null : launchCommand(parts, preview),
    environment: ownEnvironment(context, await environmentRequest(context, request, preview)),
    hasPostLaunchSetup: parts.agent.postLaunchSetup !== undefined && !parts.runtime.elsewhere,
  })
}
