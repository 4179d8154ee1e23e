// The library: what programs that embed ao import.

export { loadConfig } from './config/load-config.ts'
export type { OrchestratorConfig, ProjectConfig } from './contract/config.ts'
export { AoError, SessionNotRestorableError, WorkspaceMissingError } from './contract/errors.ts'
export type { SessionEvent } from './contract/events.ts'
export type { PullRef as PRInfo } from './contract/pull.ts'
export type {
  AgentCost,
  AgentSessionInfo,
  ClaimResult,
  CleanupResult,
  KillOptions,
  OrchestratorSpawnConfig,
  RuntimeHandle,
  SendReceipt,
  Session,
  SessionId,
  SessionSpawnConfig,
} from './contract/session.ts'
export {
  type ActivityState,
  isRestorable,
  isTerminalSession,
  NON_RESTORABLE_STATUSES,
  type SessionStatus,
  TERMINAL_ACTIVITIES,
  TERMINAL_STATUSES,
} from './contract/status.ts'
export { metadataToSession } from './contract/stored-session.ts'
export type { SessionManagerOptions } from './manager/context.ts'
export { createSessionManager, type SessionManager } from './manager/session-manager.ts'
export { createPluginRegistry } from './plugins/registry.ts'
export type { PluginRegistry } from './slots/registry.ts'
export { deleteMetadata, readMetadataRaw } from './store/session/metadata-files.ts'
