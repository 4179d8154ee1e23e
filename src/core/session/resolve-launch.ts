// Which agent, with which settings, a role of a project runs: the most specific setting wins.
import type {
  AccountConfig,
  AgentConfig,
  OrchestratorConfig,
  PermissionMode,
  PluginChoice,
  ProjectConfig,
} from '../../contract/config.ts'

export type Role = 'worker' | 'orchestrator'

export interface LaunchChoice {
  agent: string
  runtime: string
  agentConfig: AgentConfig
  permissions: PermissionMode
  model: string | undefined
}

export function resolveLaunch(
  config: OrchestratorConfig,
  project: ProjectConfig,
  role: Role,
  override: { agent?: string | undefined; account?: string | undefined } = {},
): LaunchChoice {
  const ofProject = project[role]
  const ofDefaults = config.defaults[role]
  const usual = ofProject?.agent ?? project.agent ?? ofDefaults?.agent ?? config.defaults.agent
  const ofRole: AgentConfig = { ...ofDefaults?.agentConfig, ...project.agentConfig, ...ofProject?.agentConfig }
  const account = override.account === undefined ? undefined : config.accounts?.[override.account]
  const agent = account ? (account.agent ?? usual) : (override.agent ?? usual)
  const agentConfig = account ? withAccount(ofRole, account, agent === usual) : ofRole
  return {
    agent,
    runtime: project.runtime ?? config.defaults.runtime,
    agentConfig,
    permissions: role === 'orchestrator' ? 'skip' : permissionMode(agentConfig.permissions),
    model: agentConfig.model,
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

/** A slot may be chosen by name or by an object with options. */
export function pluginName(choice: PluginChoice): string {
  return typeof choice === 'string' ? choice : choice.plugin
}

function permissionMode(word: string | undefined): PermissionMode {
  if (word === undefined) return 'default'
  return word === 'permissionless' ? 'skip' : (word as PermissionMode)
}
