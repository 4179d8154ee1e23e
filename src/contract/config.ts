// The content of agent-orchestrator.yaml, as it is written and as the program works with it. Its keys are declared in config/.
import type { account, agentConfig } from './config/agent-keys.ts'
import type { OutputOf } from './config/key.ts'
import type { CONFIG } from './config/keys.ts'
import type { project } from './config/project-keys.ts'
import type { SlotName } from './ids.ts'

export type { SlotName }

/** The content of the file, with defaults filled in. */
export type ConfigFile = OutputOf<typeof CONFIG>
export type ProjectFile = OutputOf<typeof project>
export type AgentConfig = OutputOf<ReturnType<typeof agentConfig>>
export type PermissionMode = NonNullable<AgentConfig['permissions']>
export type AccountConfig = OutputOf<typeof account>
export type PlaceConfig = NonNullable<ConfigFile['places']>[string]
/** A slot chosen in a project: a plugin's name, or a name with options. */
export type PluginChoice = NonNullable<ProjectFile['scm']>

/** A slot may be chosen by name or by an object with options. */
export function pluginName(choice: PluginChoice): string {
  return typeof choice === 'string' ? choice : choice.plugin
}
export type ExternalPlugin = NonNullable<ConfigFile['plugins']['external']>[number]

/** A project with everything resolved: absolute path, prefix, its own key. */
export interface ProjectConfig extends Omit<ProjectFile, 'path' | 'sessionPrefix' | 'name'> {
  id: string
  name: string
  path: string
  sessionPrefix: string
}

/** The configuration that the library works with. */
export interface OrchestratorConfig extends Omit<ConfigFile, 'projects' | 'defaults'> {
  /** Absolute real path of the file; its directory gives the storage hash. */
  configPath: string
  defaults: ConfigFile['defaults'] & { runtime: string; agent: string; workspace: string }
  projects: Record<string, ProjectConfig>
  /** The files' literal text, `${ENV}` not replaced: what is shown to people and what consent is bound to. */
  source?: ConfigFile
  /** The part of `source` that the repository's file contributes: consent is asked for this. Absent: all of it. */
  asks?: ConfigFile | undefined
}
