// From a project's configuration to the plan of a launch: its plugins, environment, sandbox and command. Reads only.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { globalConfigPaths } from '../../config/find-config.ts'
import { isModelName, NO_MODEL_NAME } from '../../contract/config/agent-keys.ts'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { runtimeInPlace } from '../../contract/ids.ts'
import type { RecordChange } from '../../contract/record.ts'
import { configuredAcpCommand } from '../../core/session/acp-command.ts'
import {
  type EnvironmentParts,
  forRole,
  ownEnvironment,
  sessionVariables,
  wantedPorts,
} from '../../core/session/agent-environment.ts'
import {
  type LaunchChoice,
  type LaunchKind,
  type LaunchPlan,
  planLaunch,
  promptAtStart,
  type Role,
  resolveLaunch,
} from '../../core/session/plan-launch.ts'
import { requireNamed } from '../../core/text/nearest-word.ts'
import type { GitLocation } from '../../git/git-dir.ts'
import { bashMissing } from '../../inside/path-wrappers.ts'
import { sandboxNeeds } from '../../inside/sandbox-needs.ts'
import { findBash, findExecutable, lookupIn } from '../../lib/find-executable.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { userHome } from '../../lib/process/own-home.ts'
import { SPAWN_MARKER } from '../../lib/process/process-tree.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import type { Runtime } from '../../slots/runtime.ts'
import type { Scm } from '../../slots/scm.ts'
import type { Workspace } from '../../slots/workspace.ts'
import { SYSTEM_PROMPT_FILE } from '../../store/session/session-file.ts'
import type { ManagerContext } from '../context.ts'

export interface LaunchParts {
  choice: LaunchChoice
  /** How this agent, with this configuration, takes its prompt. */
  promptDelivery: Agent['promptDelivery']
  agent: Agent
  runtime: Runtime
}

/** The plugins of a launch; fails before anything is created when one is missing. */
export async function launchParts(
  context: ManagerContext,
  project: ProjectConfig,
  role: Role,
  override: {
    agent?: string | undefined
    account?: string | undefined
    model?: string | undefined
    mode?: 'plan' | undefined
    runtime?: string | undefined
    place?: string | undefined
  },
): Promise<LaunchParts> {
  if (override.model !== undefined && !isModelName(override.model))
    throw new AoError('USAGE', `The model ${JSON.stringify(override.model)} ${NO_MODEL_NAME}`, {
      details: { model: override.model },
    })
  const resolved = resolveLaunch(context.config, project, role, override)
  if (resolved.account !== undefined) requireAccount(context, resolved.account)
  const usual = override.runtime ?? resolved.runtime
  const runtimeChoice = override.place === undefined ? usual : await runtimeThere(context, usual, override.place)
  const choice = { ...resolved, runtime: runtimeChoice, mode: override.mode }
  const [agent, runtime] = await Promise.all([
    context.registry.load('agent', choice.agent),
    context.registry.load('runtime', choice.runtime),
  ])
  if (override.mode === 'plan') requirePlanMode(agent, runtime)
  return {
    choice,
    agent,
    promptDelivery: runtime.drivesAcpAgents
      ? 'post-launch'
      : (agent.promptDeliveryFor?.(choice.agentConfig) ?? agent.promptDelivery),
    runtime,
  }
}

/** Where it is not certain that the agent only plans, it is not started. Over ACP it says itself, before it gets its task. */
function requirePlanMode(agent: Agent, runtime: Runtime): void {
  if (!runtime.elsewhere && (agent.hasPlanMode || runtime.drivesAcpAgents)) return
  const why = runtime.elsewhere
    ? `A plan mode can be used on this machine only, not with ${runtime.name}`
    : `The agent ${agent.name} has no plan mode that ao knows of`
  throw new AoError('USAGE', why, {
    hint: 'Nothing was started. Leave --mode out, or choose another agent: claude-code has one',
    details: { agent: agent.name, runtime: runtime.name },
  })
}

function requireAccount({ config }: ManagerContext, name: string): void {
  requireNamed(config.accounts ?? {}, {
    kind: 'account',
    name,
    code: 'ACCOUNT_NOT_FOUND',
    hint: 'Add it again, or continue the session as it began with: ao session switch <session> --first',
    details: { account: name, configPath: config.configPath },
  })
}

/** In a place agents are spoken to as they would be here: over the protocol, or in a terminal. */
async function runtimeThere({ registry }: ManagerContext, usual: string, place: string): Promise<string> {
  const runtime = await registry.find('runtime', usual)
  return runtimeInPlace(place, runtime?.drivesAcpAgents === true)
}

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
  workspace: Workspace | null
  /** Where its git data will be, as far as the workspace can tell. */
  git: GitLocation | null
  path: string
  branch: string | null
  issueId: string | null
  /** null: not known yet, so the first of all stands for it; undefined: it has none. */
  firstPort: number | null | undefined
  prompt: string | null
}

/** Together they are the whole launch; only the plan is printed. */
export interface PlannedLaunch {
  plan: LaunchPlan
  own: LaunchPrivate
}

/** For the executor alone: it holds the values of the environment, which may be secrets. */
interface LaunchPrivate {
  launch: AgentLaunch
  environment: EnvironmentParts
  /** With the first ports of all, until the session has its own. */
  variables: Record<string, string>
  scm: Scm | null
  /** Once the agent of a fresh start is running. */
  promptDelivered: RecordChange['promptDelivered']
}

export function makePlan(context: ManagerContext, subject: LaunchSubject): PlannedLaunch {
  const { kind, project, parts, sessionId, path, branch, issueId, workspace, scm } = subject
  const planned = { git: subject.git, hasPulls: scm?.ghFacade === true }
  const sandbox = sandboxNeeds(context.paths.project(project.id), project, path, planned, subject.role)
  const launch = { ...agentLaunch(context, { ...subject, workspacePath: path }), sandbox }
  const variables = variablesOf(context.config, subject)
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
    mode: parts.choice.mode && { name: parts.choice.mode, isCertain: !parts.runtime.drivesAcpAgents },
    workspacePlugin: workspace?.name ?? null,
    path,
    branch,
    base: project.defaultBranch,
    issue: issueId,
    prompt: subject.prompt,
    takesPrompt: parts.promptDelivery,
    // Whether an ended agent can resume is checked in its workspace, once that exists.
    command: kind === 'restore' ? null : launchCommand(parts, launch),
    environment: ownEnvironment(environment, variables, parts.agent.getEnvironment(launch)),
    hasPostLaunchSetup: parts.agent.postLaunchSetup !== undefined && !parts.runtime.elsewhere,
  })
  return { plan, own: { launch, environment, variables, scm, promptDelivered: promptAtStart(plan) } }
}

/** What its agent and its hooks find in their environment about the session. */
export function variablesOf(
  config: OrchestratorConfig,
  of: Pick<LaunchSubject, 'project' | 'sessionId' | 'path' | 'branch' | 'issueId' | 'firstPort'>,
): Record<string, string> {
  const { project, sessionId } = of
  const { count, ...wanted } = wantedPorts(config)
  const first = of.firstPort === null ? wanted.first : of.firstPort
  return sessionVariables({
    sessionId,
    projectId: project.id,
    projectPath: project.path,
    workspacePath: of.path,
    branch: of.branch,
    baseBranch: project.defaultBranch,
    issue: of.issueId,
    ports: first === undefined || count === 0 ? undefined : { first, count },
  })
}

interface LaunchRequest {
  project: ProjectConfig
  sessionId: string
  role: Role
  workspacePath: string
  parts: LaunchParts
  prompt: string | null
  issueId: string | null
}

export function agentLaunch(context: ManagerContext, request: LaunchRequest): AgentLaunch {
  const { project, sessionId, parts, prompt } = request
  const stateDir = context.paths.project(project.id).stateDir(sessionId)
  const systemPromptFile = join(stateDir, SYSTEM_PROMPT_FILE)
  return {
    sessionId,
    project,
    workspacePath: request.workspacePath,
    permissions: parts.choice.permissions,
    mode: parts.choice.mode,
    config: parts.choice.agentConfig,
    role: request.role,
    conversationId: randomUUID(),
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

/** A clear refusal before anything exists, instead of a session that dies immediately. */
export function requireCommand(context: ManagerContext, agent: Agent, command: string[], workspacePath: string): void {
  if (findBash(lookupIn(context.env)) === null) throw bashMissing()
  const program = command[0] ?? ''
  if (findExecutable(program, { env: context.env, cwd: workspacePath })) return
  const what = `The agent ${agent.name} needs the command ${program || '(none)'}, which is not on PATH`
  throw new AoError('TOOL_MISSING', what, {
    hint: 'See which agents are there with: ao doctor',
    details: { agent: agent.name, command: program },
  })
}

function environmentParts(context: ManagerContext, subject: LaunchSubject): EnvironmentParts {
  const { project, sessionId, spawnId, role, parts, scm } = subject
  const paths = context.paths.project(project.id)
  return {
    inherited: forRole(context.env, project.environment ?? {}, { source: context.config.source, role }),
    ofConfig: parts.choice.agentConfig.env ?? {},
    binDir: context.paths.bin,
    fixed: {
      AO_SESSION: sessionId,
      ...movedHome(context),
      AO_DATA_DIR: paths.sessions,
      AO_PROJECT_ID: project.id,
      AO_CONFIG_PATH: context.config.configPath,
      AO_STATE_DIR: paths.stateDir(sessionId),
      AO_CALLER_TYPE: role === 'worker' ? 'agent' : role,
      [SPAWN_MARKER]: spawnId,
      // Words, not a path: the wrapper splits them, and `ao` is next to it. The forge answers the agent's `gh`.
      ...(scm?.ghFacade ? { AO_GH_FACADE: 'ao gh' } : {}),
    },
  }
}

/** Programs the agent starts must use the same directory, whatever its other variables say. */
function movedHome({ env, paths }: ManagerContext): Record<string, string> {
  if (userHome(paths.home, env) === paths.home) return {}
  // Moved by XDG_DATA_HOME alone, it does not contain the user's own configuration.
  const own = env.AO_HOME ? undefined : globalConfigPaths({ env, home: paths.home })[0]
  return { AO_HOME: paths.home, ...(own !== undefined && { AO_GLOBAL_CONFIG: own }) }
}
