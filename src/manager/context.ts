// What every operation of the manager is given. Created once by createSessionManager.
import type { OrchestratorConfig, ProjectConfig } from '../contract/config.ts'
import { requireNamed } from '../core/config/require-named.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import type { AoPaths } from '../store/paths.ts'
import type { SessionStore } from '../store/session/session-store.ts'

/** What an operation did, for the observability snapshot. */
export interface Observation {
  projectId: string
  sessionId?: string | undefined
  outcome: 'success' | 'failure'
  durationMs: number
  reason?: string | undefined
}

export interface ManagerContext {
  config: OrchestratorConfig
  registry: PluginRegistry
  paths: AoPaths
  clock: Clock
  log: Log
  /** The user's environment, which agents inherit. */
  env: NodeJS.ProcessEnv
  /** argv that starts this very ao again: for wrappers, hooks and the MCP server. */
  aoCommand: string[]
  store(projectId: string): SessionStore
  /** The port the dashboard is listening on; undefined: none. */
  dashboardPort(): number | undefined
  observe(operation: string, observation: Observation): void
}

export function requireProject(context: ManagerContext, projectId: string): ProjectConfig {
  const { projects, configPath } = context.config
  const details = { projectId, configPath }
  return requireNamed(projects, { kind: 'project', name: projectId, code: 'PROJECT_NOT_FOUND', details })
}

/** All projects, or the one that was named. */
export function projectIds(context: ManagerContext, projectId?: string): string[] {
  if (projectId === undefined) return Object.keys(context.config.projects)
  return [requireProject(context, projectId).id]
}

/** `{hash}-{prefix}-{n}`: unique on the machine, never shown to users. */
export function runtimeName(context: ManagerContext, sessionId: string): string {
  return `${context.paths.hash}-${sessionId}`
}

/** For a process that stays: from here on, listing all sessions costs only what has changed. Returns how to end that. */
export function followSessions(context: ManagerContext): () => void {
  const ends = projectIds(context).map((id) => context.store(id).follow())
  return () => {
    for (const end of ends) end()
  }
}
