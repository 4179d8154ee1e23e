// For plugin authors: the slots, the way to define a plugin, and the errors to throw.
export { AoError } from './contract/errors.ts'
export type { PullState as PRState } from './contract/pull.ts'
export type * from './index.ts'
export { definePlaceEngine, type EngineDefinition } from './plugins/place/define-engine.ts'
export { programChannel } from './plugins/place/reach/program-channel.ts'
export type { ActivityReading, Agent, AgentLaunch, ReadOptions } from './slots/agent.ts'
export { type Notification, type Notifier, NotifierError } from './slots/notifier.ts'
export type { Channel, PlaceEngine, PlaceState, StartedPlace } from './slots/place.ts'
export {
  definePlugin,
  type EngineContext,
  type Plugin,
  type PluginContext,
  type PluginManifest,
} from './slots/plugin.ts'
export type { AttachInfo, Liveness, Runtime, RuntimeLaunch } from './slots/runtime.ts'
export type { Scm as SCM } from './slots/scm.ts'
export type { Terminal, TerminalTarget } from './slots/terminal.ts'
export { type Issue, IssueNotFoundError, isIssueNotFoundError, type Tracker } from './slots/tracker.ts'
export type { Rescue, Workspace, WorkspaceInfo, WorkspaceSpec } from './slots/workspace.ts'
