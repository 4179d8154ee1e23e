// From the loaded plugins of a launch to its plan. Reads only.
import type { ProjectConfig } from '../../contract/config.ts'
import { type LaunchKind, type LaunchPlan, planLaunch } from '../../core/session/plan-launch.ts'
import type { Role } from '../../core/session/resolve-launch.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import type { Scm } from '../../slots/scm.ts'
import type { ManagerContext } from '../context.ts'
import { wordsOf } from '../session-words.ts'
import { type EnvironmentParts, environmentParts, ownEnvironment } from './agent-environment.ts'
import { agentLaunch, type LaunchParts, launchCommand } from './launch.ts'

export interface LaunchSubject {
  kind: LaunchKind
  project: ProjectConfig
  parts: LaunchParts
  /** null: the project has no forge. */
  scm: Scm | null
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

/** Together they are the whole launch; only the plan is printed. */
export interface PlannedLaunch {
  plan: LaunchPlan
  own: LaunchPrivate
}

/** For the executor alone: it holds the values of the environment, which may be secrets. */
export interface LaunchPrivate {
  launch: AgentLaunch
  environment: EnvironmentParts
  /** With the first ports of all, until the session has its own. */
  words: Record<string, string>
  scm: Scm | null
}

export function makePlan(context: ManagerContext, subject: LaunchSubject): PlannedLaunch {
  const { kind, project, parts, sessionId, path, branch, issueId } = subject
  const launch = agentLaunch(context, { ...subject, workspacePath: path })
  const words = wordsOf(context, { project, sessionId, branch, issue: issueId, workspacePath: path })
  const environment = environmentParts(context, subject)
  const plan = planLaunch({
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
    path,
    branch,
    issue: issueId,
    prompt: subject.prompt,
    takesPrompt: parts.promptDelivery,
    // Whether an ended agent can resume is checked in its workspace, once that exists.
    command: kind === 'restore' ? null : launchCommand(parts, launch),
    environment: ownEnvironment(environment, words, parts.agent.getEnvironment(launch)),
    hasPostLaunchSetup: parts.agent.postLaunchSetup !== undefined && !parts.runtime.elsewhere,
  })
  return { plan, own: { launch, environment, words, scm: subject.scm } }
}
