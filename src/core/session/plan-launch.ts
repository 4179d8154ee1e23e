// Which agent, with which settings, a role of a project runs: the most specific setting wins. And what starting it will do,
// decided before anything is done: plain data that can be printed and compared. Spawn, orchestrator and restore differ only in
// this plan; one executor runs the steps.
import {
  type AccountConfig,
  type AgentConfig,
  type OrchestratorConfig,
  type PermissionMode,
  type ProjectConfig,
  pluginName,
} from '../../contract/config.ts'
import type { RecordChange } from '../../contract/record.ts'
import type { Role } from '../../contract/record-values.ts'

export type { Role }

export interface LaunchChoice {
  agent: string
  runtime: string
  agentConfig: AgentConfig
  permissions: PermissionMode
  model: string | undefined
  /** It plans first, and changes nothing before a person agrees. */
  mode?: 'plan' | undefined
  /** Name of one of `accounts`; undefined: what the agent is signed in to by itself. */
  account: string | undefined
}

export function resolveLaunch(
  config: OrchestratorConfig,
  project: ProjectConfig,
  role: Role,
  override: { agent?: string | undefined; account?: string | undefined; model?: string | undefined } = {},
): LaunchChoice {
  const ofProject = project[role]
  const ofDefaults = config.defaults[role]
  const usual = ofProject?.agent ?? project.agent ?? ofDefaults?.agent ?? config.defaults.agent
  const ofRole: AgentConfig = { ...ofDefaults?.agentConfig, ...project.agentConfig, ...ofProject?.agentConfig }
  const ofReviewer = role === 'reviewer' ? (project.reviewer?.account ?? config.defaults.reviewer?.account) : undefined
  const name = override.account ?? ofReviewer
  const account = name === undefined ? undefined : config.accounts?.[name]
  const agent = account ? (account.agent ?? usual) : (override.agent ?? usual)
  const agentConfig = account ? withAccount(ofRole, account, agent === usual) : ofRole
  return {
    agent,
    runtime: project.runtime ?? config.defaults.runtime,
    agentConfig,
    permissions: role === 'orchestrator' ? 'skip' : permissionMode(agentConfig.permissions),
    model: override.model ?? agentConfig.model,
    account: name,
  }
}

/** Command, model and options of one agent mean nothing to another; how often it asks does. */
function withAccount(ofRole: AgentConfig, { agentConfig = {} }: AccountConfig, isSameAgent: boolean): AgentConfig {
  const { permissions } = ofRole
  const base: AgentConfig = isSameAgent ? ofRole : permissions === undefined ? {} : { permissions }
  const env = { ...base.env, ...agentConfig.env }
  return { ...base, ...agentConfig, ...(Object.keys(env).length > 0 && { env }) }
}

export function resolveWorkspace(config: OrchestratorConfig, project: ProjectConfig): string {
  if (project.workspace !== undefined) return pluginName(project.workspace)
  return config.defaults.workspace
}

function permissionMode(word: string | undefined): PermissionMode {
  if (word === undefined) return 'default'
  return word === 'permissionless' ? 'skip' : (word as PermissionMode)
}

export type LaunchKind = 'spawn' | 'orchestrator' | 'restore'

export type LaunchStep =
  | 'create workspace'
  | 'prepare workspace'
  | 'restore workspace'
  | 'destroy old runtime'
  | 'find the launch command'
  | 'prepare agent'
  | 'start runtime'
  | 'write metadata'
  | 'post-launch setup'

/**
 * `command`: on the command line. `message`: sent once the agent is running. `unless_resumed`: only if the agent cannot
 * continue its own conversation.
 */
export type PromptDelivery = 'none' | 'command' | 'message' | 'unless_resumed'

/** What is planned as it was asked for. */
interface Planned {
  kind: LaunchKind
  project: string
  session: string
  spawnId: string
  /** How many times its agent has been started, including this time. */
  launch: number
  role: Role
  agent: string
  runtime: string
  /** null: on this machine. */
  place: string | null
  permissions: PermissionMode
  issue: string | null
  prompt: string | null
}

export interface PlanRequest extends Planned {
  model: string | undefined
  mode?: StartMode | undefined
  /** null: the session works in the project's own directory. */
  workspacePlugin: string | null
  path: string
  branch: string | null
  /** The branch that its work is for. */
  base: string
  takesPrompt: 'inline' | 'post-launch'
  /** If known before the agent is prepared; null: the agent decides by then. */
  command: readonly string[] | null
  /** Variables set in addition to the user's own environment. */
  environment: Readonly<Record<string, string>>
  hasPostLaunchSetup: boolean
}

export interface StartMode {
  name: 'plan'
  /** false: only its agent knows whether it has one, once it was started; if not, it is ended before it gets its task. */
  isCertain: boolean
}

export interface LaunchPlan extends Planned {
  model: string | null
  /** Absent or null: the agent's usual one. */
  mode?: StartMode | null
  workspace: { kind: string; path: string; branch: string | null; base: string }
  promptDelivery: PromptDelivery
  command: string[] | null
  /** Names only: values may be secrets. */
  environment: string[]
  steps: LaunchStep[]
  /** Why it would not start now but wait; absent or null: nothing is in its way. */
  waits?: string | null
}

/** The kind of workspace of a session that has none of its own. */
const PROJECT_DIRECTORY = 'project directory'

export function planLaunch(request: PlanRequest): LaunchPlan {
  const { kind, project, session, spawnId, launch, role, agent, runtime, place, permissions } = request
  return {
    kind,
    project,
    session,
    spawnId,
    launch,
    role,
    agent,
    runtime,
    place,
    permissions,
    model: request.model ?? null,
    mode: request.mode ?? null,
    workspace: {
      kind: request.workspacePlugin ?? PROJECT_DIRECTORY,
      path: request.path,
      branch: request.branch,
      base: request.base,
    },
    issue: request.issue,
    prompt: request.prompt,
    promptDelivery: deliveryOf(request),
    command: request.command === null ? null : [...request.command],
    environment: Object.keys(request.environment).sort(),
    steps: stepsOf(request),
  }
}

function deliveryOf({ kind, prompt, takesPrompt }: PlanRequest): PromptDelivery {
  if (prompt === null) return 'none'
  if (kind === 'restore') return 'unless_resumed'
  return takesPrompt === 'inline' ? 'command' : 'message'
}

function stepsOf({ kind, workspacePlugin, hasPostLaunchSetup }: PlanRequest): LaunchStep[] {
  const hasWorkspace = workspacePlugin !== null
  const before: Record<LaunchKind, LaunchStep[]> = {
    spawn: hasWorkspace ? ['create workspace', 'prepare workspace'] : [],
    orchestrator: [],
    restore: [
      ...(hasWorkspace ? (['restore workspace'] as const) : []),
      'destroy old runtime',
      'find the launch command',
    ],
  }
  const after: LaunchStep[] = hasPostLaunchSetup ? ['post-launch setup'] : []
  return [...before[kind], 'prepare agent', 'start runtime', 'write metadata', ...after]
}

/** What is known about the prompt once the agent of a fresh start is running; null: there is none. */
export function promptAtStart({ promptDelivery }: LaunchPlan): RecordChange['promptDelivered'] {
  if (promptDelivery === 'none') return null
  return promptDelivery === 'command' ? 'unconfirmed' : 'no'
}
