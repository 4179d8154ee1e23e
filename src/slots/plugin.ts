// What a plugin is: a manifest, optional options, and a function that makes the slot's implementation.
import type { SlotName } from '../contract/config.ts'
import type { Log } from '../lib/log.ts'
import type { Agent } from './agent.ts'
import type { Notifier } from './notifier.ts'
import type { Runtime } from './runtime.ts'
import type { Scm } from './scm.ts'
import type { Terminal } from './terminal.ts'
import type { Tracker } from './tracker.ts'
import type { Workspace } from './workspace.ts'

export interface SlotMap {
  runtime: Runtime
  agent: Agent
  workspace: Workspace
  tracker: Tracker
  scm: Scm
  notifier: Notifier
  terminal: Terminal
}

/** All that a plugin gets from us. Nothing of the manager is in it. */
export interface PluginContext {
  /** The user's home; plugins take it from here so that tests can move it. */
  home: string
  env: NodeJS.ProcessEnv
  log: Log
  /** Directory of agent-orchestrator.yaml, for relative paths in options. */
  configDir: string
  /** `~/.agent-orchestrator` or its override: where ao keeps its data. */
  dataDir: string
  /** The dashboard's port, for addresses that a person can open. */
  port?: number
  /** Throws CONFIG_UNTRUSTED when the user has not agreed to what the project would run. Absent: nobody can agree. */
  requireTrust?(kind: 'ci', projectId: string): void
}

export interface PluginManifest<S extends SlotName = SlotName> {
  slot: S
  name: string
  description: string
  version: string
}

export interface Plugin<S extends SlotName = SlotName> {
  manifest: PluginManifest<S>
  /** `options` is what the configuration says for this plugin; unknown keys must be refused with an error. */
  create(options: Record<string, unknown>, context: PluginContext): SlotMap[S]
  /** Can it work on this machine? Used by `ao init` and `ao doctor`; must be quick and must not throw. */
  detect?(context: PluginContext): Promise<{ ok: boolean; detail: string; fix?: string }>
}

export function definePlugin<S extends SlotName>(plugin: Plugin<S>): Plugin<S> {
  return plugin
}
