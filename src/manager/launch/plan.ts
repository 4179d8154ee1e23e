// From a project's configuration to the plan of a launch: its plugins, environment, sandbox and command. Reads only.
import { randomUUID } from 'node:crypto'
import { delimiter, join } from 'node:path'
import { globalConfigPaths } from '../../config/find-config.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { runtimeInPlace } from '../../core/place/runtime-in-place.ts'
import { configuredAcpCommand } from '../../core/session/acp-command.ts'
import { type EnvironmentRule, forAgent, heldVariables } from '../../core/session/inherit-variables.ts'
import { type LaunchKind, type LaunchPlan, planLaunch } from '../../core/session/plan-launch.ts'
import { type LaunchChoice, type Role, resolveLaunch } from '../../core/session/resolve-launch.ts'
import { fillVariables } from '../../core/session/session-variables.ts'
import { requireNamed } from '../../core/text/nearest-word.ts'
import { bashLookup, requireBash } from '../../inside/path-wrappers.ts'
import { sandboxNeeds } from '../../inside/sandbox-needs.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { userHome } from '../../lib/process/own-home.ts'
import { SPAWN_MARKER } from '../../lib/process/process-tree.ts'
import type { Agent, AgentLaunch } from '../../slots/agent.ts'
import type { Runtime } from '../../slots/runtime.ts'
import type { Scm } from '../../slots/scm.ts'
import type { Workspace } from '../../slots/workspace.ts'
import type { ManagerContext } from '../context.ts'
import { SYSTEM_PROMPT_FILE } from './prompt-files.ts'
import { variablesOf } from './reserve-session.ts'

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
    runtime?: string | undefined
    place?: string | undefined
  },
): Promise<LaunchParts> {
  if (override.account !== undefined) requireAccount(context, override.account)
  const resolved = resolveLaunch(context.config, project, role, override)
  const usual = override.runtime ?? resolved.runtime
  const runtimeChoice = override.place === undefined ? usual : await runtimeThere(context, usual, override.place)
  const choice = { ...resolved, runtime: runtimeChoice }
  const [agent, runtime] = await Promise.all([
    context.registry.load('agent', choice.agent),
    context.registry.load('runtime', choice.runtime),
  ])
  return {
    choice,
    agent,
    promptDelivery: runtime.drivesAcpAgents
      ? 'post-launch'
      : (agent.promptDeliveryFor?.(choice.agentConfig) ?? agent.promptDelivery),
    runtime,
  }
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

/** A clear refusal before anything exists, instead of a session that dies immediately. */
export function requireCommand(context: ManagerContext, agent: Agent, command: string[], workspacePath: string): void {
  requireBash(bashLookup(context.env))
  const program = command[0] ?? ''
  if (findExecutable(program, { env: context.env, cwd: workspacePath })) return
  throw new AoError(
    'TOOL_MISSING',
    `The agent ${agent.name} needs the command ${program || '(none)'}, which is not on PATH`,
    {
      hint: 'See which agents are there with: ao doctor',
      details: { agent: agent.name, command: program },
    },
  )
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
interface LaunchPrivate {
  launch: AgentLaunch
  environment: EnvironmentParts
  /** With the first ports of all, until the session has its own. */
  variables: Record<string, string>
  scm: Scm | null
}

export function makePlan(context: ManagerContext, subject: LaunchSubject): PlannedLaunch {
  const { kind, project, parts, sessionId, path, branch, issueId, workspace, scm } = subject
  const planned = workspace?.gitFor?.(project, path) ?? null
  const sandbox = sandboxNeeds(context.paths.project(project.id), project, path, {
    git: planned,
    hasPulls: scm?.ghFacade === true,
  })
  const launch = { ...agentLaunch(context, { ...subject, workspacePath: path }), sandbox }
  const variables = variablesOf(context, { project, sessionId, branch, issue: issueId, workspacePath: path })
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
    workspacePlugin: workspace?.name ?? null,
    path,
    branch,
    issue: issueId,
    prompt: subject.prompt,
    takesPrompt: parts.promptDelivery,
    // Whether an ended agent can resume is checked in its workspace, once that exists.
    command: kind === 'restore' ? null : launchCommand(parts, launch),
    environment: ownEnvironment(environment, variables, parts.agent.getEnvironment(launch)),
    hasPostLaunchSetup: parts.agent.postLaunchSetup !== undefined && !parts.runtime.elsewhere,
  })
  return { plan, own: { launch, environment, variables, scm } }
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

/** Everything that is decided before the agent is asked. It holds the values of the user's variables: never print it. */
interface EnvironmentParts {
  inherited: Record<string, string>
  /** As configured; it may name words of the session. */
  ofConfig: Record<string, string>
  /** ao's own, whatever the agent and the configuration say. */
  fixed: Record<string, string>
  binDir: string
}

function environmentParts(context: ManagerContext, subject: LaunchSubject): EnvironmentParts {
  const { project, sessionId, spawnId, role, parts, scm } = subject
  const paths = context.paths.project(project.id)
  return {
    inherited: inheritedEnvironment(context, role, project.environment ?? {}),
    ofConfig: parts.choice.agentConfig.env ?? {},
    binDir: context.paths.bin,
    fixed: {
      AO_SESSION: sessionId,
      ...movedHome(context),
      AO_DATA_DIR: paths.sessions,
      AO_PROJECT_ID: project.id,
      AO_CONFIG_PATH: context.config.configPath,
      AO_STATE_DIR: paths.stateDir(sessionId),
      AO_CALLER_TYPE: role === 'orchestrator' ? 'orchestrator' : 'agent',
      [SPAWN_MARKER]: spawnId,
      // Words, not a path: the wrapper splits them, and `ao` is next to it. The forge answers the agent's `gh`.
      ...(scm?.ghFacade ? { AO_GH_FACADE: 'ao gh' } : {}),
    },
  }
}

function inheritedEnvironment({ config, env }: ManagerContext, role: Role, rule: EnvironmentRule) {
  const held = heldVariables(config.source)
  // An orchestrator's `ao spawn` queries the tracker itself.
  const withheld = new Set([...held.byLoop, ...(role === 'orchestrator' ? [] : held.byForge)])
  return forAgent(env, rule, withheld)
}

/** Variables set for this session in addition to the user's own environment. */
export function ownEnvironment(
  { inherited, ofConfig, fixed, binDir }: EnvironmentParts,
  variables: Readonly<Record<string, string>>,
  ofAgent: Readonly<Record<string, string>>,
): Record<string, string> {
  const configured = Object.fromEntries(
    Object.entries(ofConfig).map(([name, text]) => [name, fillVariables(text, variables)]),
  )
  const PATH = pathWith(binDir, configured.PATH ?? inherited.PATH ?? '')
  return { ...ofAgent, ...configured, PATH, ...variables, ...fixed }
}

/** Programs the agent starts must use the same directory, whatever its other variables say. */
function movedHome({ env, paths }: ManagerContext): Record<string, string> {
  if (userHome(paths.home, env) === paths.home) return {}
  // Moved by XDG_DATA_HOME alone, it does not contain the user's own configuration.
  const own = env.AO_HOME ? undefined : globalConfigPaths({ env, home: paths.home })[0]
  return { AO_HOME: paths.home, ...(own !== undefined && { AO_GLOBAL_CONFIG: own }) }
}

function pathWith(binDir: string, path: string): string {
  return [binDir, ...path.split(delimiter).filter((entry) => entry !== '' && entry !== binDir)].join(delimiter)
}
