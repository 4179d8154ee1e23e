// What every operation of the manager is given, created once by createSessionManager, and what is found with it: projects, the
// plugins that they have chosen and that reach their sessions, sessions by their id.

import { requireTrust } from '../config/trust/trust.ts'
import { CONSENT_KINDS, type ConsentKind } from '../contract/config/consent.ts'
import { type OrchestratorConfig, type PluginChoice, type ProjectConfig, pluginName } from '../contract/config.ts'
import { AoError, errorText } from '../contract/errors.ts'
import { isSafeName } from '../contract/ids.ts'
import { recordOf, type SessionRecord } from '../contract/record.ts'
import type { Session } from '../contract/session.ts'
import { endedHint } from '../contract/status.ts'
import { nearestWord, requireNamed } from '../core/text/nearest-word.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createLog, type Log } from '../lib/log.ts'
import { ownHome } from '../lib/process/own-home.ts'
import { ownProgram } from '../lib/process/own-program.ts'
import type { Agent } from '../slots/agent.ts'
import type { SlotMap } from '../slots/plugin.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import type { Runtime } from '../slots/runtime.ts'
import type { Scm } from '../slots/scm.ts'
import type { Tracker } from '../slots/tracker.ts'
import type { Workspace } from '../slots/workspace.ts'
import type { Observation } from '../store/observability/snapshot.ts'
import { type AoPaths, createPaths } from '../store/paths.ts'
import { createStores, type SessionStore, type StoredSession } from '../store/session/session-store.ts'
import { requireOwnRecord } from '../store/session/update-session.ts'

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
  /** Absent: nobody counts. */
  observe?: ((operation: string, observation: Observation) => void) | undefined
}

export interface SessionManagerOptions {
  config: OrchestratorConfig
  registry: PluginRegistry
  /** Of this configuration, where they are known already. */
  paths?: AoPaths
  clock?: Clock
  log?: Log
  env?: NodeJS.ProcessEnv
  home?: string
  /** argv that starts ao; detected when ao's own command is running. */
  aoCommand?: string[]
  /** The port the dashboard is listening on; the configured one if absent. */
  dashboardPort?: () => number | undefined
  observe?: (operation: string, observation: Observation) => void
}

/** Also for the loop, which works below the manager's own operations. */
export function createManagerContext(options: SessionManagerOptions): ManagerContext {
  const env = options.env ?? process.env
  const clock = options.clock ?? systemClock
  const log = options.log ?? createLog(env.AO_LOG_LEVEL)
  const { config } = options
  const home = options.home ?? ownHome(env)
  const paths = options.paths ?? createPaths({ configPath: config.configPath, home, env })
  return {
    config,
    registry: options.registry,
    paths,
    clock,
    log,
    env,
    aoCommand: options.aoCommand ?? defaultAoCommand(),
    dashboardPort: options.dashboardPort ?? (() => undefined),
    observe: options.observe,
    store: createStores({ paths, configPath: config.configPath, clock, log }),
  }
}

/** The bundled command is next to the bundled library. */
export function defaultAoCommand(): string[] {
  return [process.execPath, ownProgram(import.meta.url, '../cli/ao.ts', 'ao.js')]
}

export function requireProject(context: ManagerContext, projectId: string): ProjectConfig {
  const { projects, configPath } = context.config
  const details = { projectId, configPath }
  return requireNamed(projects, { kind: 'project', name: projectId, code: 'PROJECT_NOT_FOUND', details })
}

/** As one of its sessions sees it: the work may be for another branch than the default one. */
export function projectOfSession(
  project: ProjectConfig,
  { baseBranch }: Pick<SessionRecord, 'baseBranch'>,
): ProjectConfig {
  return baseBranch === undefined ? project : { ...project, defaultBranch: baseBranch }
}

/** All projects, or the one that was named. */
export function projectIds(context: ManagerContext, projectId?: string): string[] {
  if (projectId === undefined) return Object.keys(context.config.projects)
  return [requireProject(context, projectId).id]
}

/** For a process that stays: from here on, listing all sessions costs only what has changed. Returns how to end that. */
export function followSessions(context: ManagerContext): () => void {
  const ends = projectIds(context).map((id) => context.store(id).follow())
  return () => {
    for (const end of ends) end()
  }
}

export async function trackerOf(context: ManagerContext, project: ProjectConfig): Promise<Tracker | null> {
  const choice = project.tracker ?? context.config.plugins.tracker?.name
  if (choice === undefined) return null
  return context.registry.load('tracker', choice)
}

export async function scmOf(
  context: Pick<ManagerContext, 'config' | 'registry'>,
  project: ProjectConfig,
): Promise<Scm | null> {
  const choice = project.scm ?? context.config.plugins.scm?.name
  if (choice === undefined) return null
  return context.registry.load('scm', choice)
}

/** The plugin named in a session's record, which may predate the configuration's current choice. */
export async function workspaceOf(
  context: ManagerContext,
  project: ProjectConfig,
  recorded?: string | undefined,
): Promise<Workspace> {
  const configured: PluginChoice = project.workspace ?? context.config.defaults.workspace
  const choice = recorded === undefined || recorded === pluginName(configured) ? configured : recorded
  return context.registry.load('workspace', choice)
}

/** A session with what reaches its agent: found once, and passed on. */
export interface ReachedSession {
  /** As it is stored. */
  readonly session: Session
  /** null: none was started, or its plugin cannot be used. */
  readonly runtime: Runtime | null
  /** Where it runs. null: its record names none, or its plugin cannot be used. */
  readonly agent: Agent | null
}

/** Each plugin is asked for once, however many sessions use it. */
export async function reachSessions(context: ManagerContext, sessions: readonly Session[]): Promise<ReachedSession[]> {
  const runtimes = new Map<string, Runtime | null>()
  const agents = new Map<string, Agent | null>()
  const all = sessions.map((session) => ({ session, ...pluginsOf(session) }))
  for (const { agent, runtime } of all) {
    if (agent !== undefined && !agents.has(agent)) agents.set(agent, await findPlugin(context, 'agent', agent))
    if (runtime !== undefined && !runtimes.has(runtime)) {
      runtimes.set(runtime, await findPlugin(context, 'runtime', runtime))
    }
  }
  return all.map(({ session, agent: name = '', runtime: where = '' }) => {
    const runtime = runtimes.get(where) ?? null
    return { session, runtime, agent: whereItRuns(session, agents.get(name) ?? null, runtime) }
  })
}

export function pluginsOf(session: Session): { agent: string | undefined; runtime: string | undefined } {
  return { agent: recordOf(session).agent, runtime: session.runtimeHandle?.runtimeName }
}

function whereItRuns({ runtimeHandle }: Session, agent: Agent | null, runtime: Runtime | null): Agent | null {
  try {
    return (agent && runtimeHandle && runtime?.elsewhere?.readAgent(runtimeHandle, agent)) ?? agent
  } catch {
    // A plugin of somebody else: its sessions are read from here, and those of others as ever.
    return agent
  }
}

/** A plugin that cannot be loaded must not hide the sessions that use it. */
export async function findPlugin<S extends 'agent' | 'runtime'>(
  context: ManagerContext,
  slot: S,
  name: string,
): Promise<SlotMap[S] | null> {
  try {
    return await context.registry.find(slot, name)
  } catch (error) {
    context.log.warn(`${slot} plugin ${name}: ${errorText(error)}`)
    return null
  }
}

/** null: its record names none, or none that exists. */
export async function agentOf(registry: PluginRegistry, session: Session): Promise<Agent | null> {
  const name = recordOf(session).agent
  const agent = name === undefined ? null : await registry.find('agent', name)
  const handle = session.runtimeHandle
  const runtime = agent && handle && (await registry.find('runtime', handle.runtimeName))
  return whereItRuns(session, agent, runtime)
}

export interface FoundSession {
  project: ProjectConfig
  store: SessionStore
  stored: StoredSession
}

export function findActive(context: ManagerContext, sessionId: string): FoundSession | null {
  if (!isSafeName(sessionId)) return null
  for (const projectId of projectIds(context)) {
    const store = context.store(projectId)
    const stored = store.read(sessionId)
    if (stored) return { project: context.config.projects[projectId]!, store, stored }
  }
  return null
}

/** To act on it. FORMAT_NEWER when a newer program wrote its record: nothing is begun that could not be recorded. */
export function requireActive(context: ManagerContext, sessionId: string): FoundSession {
  const found = requireToRead(context, sessionId)
  if (found.stored.newer !== undefined) requireOwnRecord(found.store.paths.sessionFile(sessionId), found.stored)
  return found
}

/** To read it, whatever program wrote it. */
export function requireToRead(context: ManagerContext, sessionId: string): FoundSession {
  const found = findActive(context, sessionId)
  if (found) return found
  throw sessionNotFound(context, sessionId)
}

export interface ArchivedSession extends FoundSession {
  stored: NonNullable<ReturnType<SessionStore['readArchived']>>
}

export function findArchived(context: ManagerContext, sessionId: string): ArchivedSession | null {
  if (!isSafeName(sessionId)) return null
  for (const projectId of projectIds(context)) {
    const store = context.store(projectId)
    const archived = store.readArchived(sessionId)
    if (archived) return { project: context.config.projects[projectId]!, store, stored: archived }
  }
  return null
}

export function sessionNotFound(context: ManagerContext, sessionId: string): AoError {
  const archived = findArchived(context, sessionId)
  if (!archived) {
    const ids = projectIds(context).flatMap((projectId) => context.store(projectId).list())
    const near = nearestWord(sessionId, ids)
    return new AoError('SESSION_NOT_FOUND', `There is no session ${sessionId}`, {
      hint: near === null ? undefined : `Did you mean ${near}?`,
      details: { sessionId },
    })
  }
  const archivedAt = archived.stored.archivedAt.toISOString()
  return new AoError('SESSION_NOT_FOUND', `Session ${sessionId} is archived, since ${archivedAt}: it has ended`, {
    hint: endedHint(sessionId, archived.stored.record.status ?? 'killed'),
    details: { sessionId, archivedAt },
  })
}

/** Checked where it happens: what listens and sends, and what `ao start` does by itself. */
const ELSEWHERE: readonly ConsentKind[] = ['listen', 'send', 'automatic']
const LAUNCH_KINDS = CONSENT_KINDS.filter((kind) => !ELSEWHERE.includes(kind))

/** The configuration's part: commands, environment, external files. Before anything is created or changed. */
export function requireLaunchConsent(context: ManagerContext, project: ProjectConfig): void {
  const { config, paths, env } = context
  requireTrust(config, { home: paths.home, env, projectId: project.id, kinds: LAUNCH_KINDS })
}

/** What a repository's file makes ao do at certain times is agreed to before it happens, whoever asks for it. */
export function requireScheduleConsent({ config, paths, env }: ManagerContext, project: ProjectConfig): void {
  requireTrust(config, { home: paths.home, env, projectId: project.id, kinds: ['automatic'] })
}
