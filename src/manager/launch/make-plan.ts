// From the loaded plugins of a launch to its plan. Reads only.
import { join } from 'node:path'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { configuredAcpCommand } from '../../core/session/acp-command.ts'
import { type LaunchKind, type LaunchPlan, planLaunch } from '../../core/session/plan-launch.ts'
import type { Role } from '../../core/session/resolve-launch.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import type { Scm } from '../../slots/scm.ts'
import type { ManagerContext } from '../context.ts'
import { variablesOf } from '../session-variables.ts'
import { type EnvironmentParts, environmentParts, ownEnvironment } from './agent-environment.ts'
import { type LaunchParts, SYSTEM_PROMPT_FILE } from './launch.ts'

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
  const words = variablesOf(context, { project, sessionId, branch, issue: issueId, workspacePath: path })
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

export interface LaunchRequest {
  project: ProjectConfig
  sessionId: string
  role: Role
  workspacePath: string
  parts: LaunchParts
  prompt: string | null
  issueId: string | null
}

/** Without its sandbox, which only an existing workspace can tell. */
export function agentLaunch(context: ManagerContext, request: LaunchRequest): AgentLaunch {
  const { project, sessionId, parts, prompt } = request
  const stateDir = context.paths.project(project.id).stateDir(sessionId)
  const systemPromptFile = join(stateDir, SYSTEM_PROMPT_FILE)
  return {
    sessionId,
    project,
    workspacePath: request.workspacePath,
    permissions: parts.choice.permissions,
    config: parts.choice.agentConfig,
    role: request.role,
    stateDir,
    mcpCommand: [...context.aoCommand, 'mcp'],
    hookCommand: [join(context.paths.bin, 'ao-hook'), parts.agent.name],
    prompt: prompt ?? undefined,
    issueId: request.issueId ?? undefined,
    model: parts.choice.model,
    systemPromptFile: readIfThere(systemPromptFile) === null ? undefined : systemPromptFile,
  }
}

/** What the runtime starts: the agent for a terminal, or its side of the protocol. */
export function launchCommand({ agent, runtime }: LaunchParts, launch: AgentLaunch): string[] {
  if (!runtime.drivesAcpAgents) return agent.getLaunchCommand(launch)
  const command = configuredAcpCommand(launch.config) ?? agent.getAcpCommand?.(launch)
  if (command) return command
  throw new AoError(
    'USAGE',
    `The agent ${agent.name} has no command that speaks ACP, which the runtime ${runtime.name} needs`,
    {
      hint: 'Choose another runtime or another agent; a command of your own is agentConfig.acpCommand',
      details: { agent: agent.name, runtime: runtime.name },
    },
  )
}
