// The agent plugins in a place: the same code as at home, given the place's own paths.
import { randomUUID } from 'node:crypto'
import type { Session } from '../../../contract/session.ts'
import { silentLog } from '../../../lib/log.ts'
import type { Agent, AgentLaunch, ReadOptions } from '../../../slots/agent.ts'
import type { Plugin } from '../../../slots/plugin.ts'
import type { FarAgentLaunch } from '../far-contract.ts'
import type { FarPaths } from './far-paths.ts'

export type LoadAgent = (name: string) => Promise<Plugin | null>

export interface FarAgent {
  agent: Agent
  launch: AgentLaunch
  session: Session
  readOptions(now: Date): ReadOptions
}

export async function createFarAgent(
  load: LoadAgent,
  paths: FarPaths,
  about: FarAgentLaunch,
  env: Record<string, string>,
): Promise<FarAgent> {
  const plugin = await load(about.agent)
  if (plugin === null) throw new Error(`the agent ${about.agent} does not ship with ao, so it cannot run in a place`)
  const home = env.HOME ?? '/'
  const context = { home, env, log: silentLog, configDir: paths.workspace, dataDir: paths.state }
  const agent = plugin.create(about.options, context) as Agent
  const { stateDir, launch } = launchThere(paths, about)
  return {
    agent,
    launch,
    session: sessionThere(paths, about),
    readOptions: (now) => ({ readyThresholdMs: about.readyThresholdMs, now, stateDir }),
  }
}

function launchThere(paths: FarPaths, about: FarAgentLaunch): { stateDir: string; launch: AgentLaunch } {
  const stateDir = paths.state
  const launch: AgentLaunch = {
    sessionId: about.sessionId,
    project: { ...about.project, path: paths.workspace },
    workspacePath: paths.workspace,
    issueId: about.issueId ?? undefined,
    prompt: about.prompt ?? undefined,
    systemPromptFile: about.instructions === null ? undefined : `${stateDir}/system-prompt.md`,
    permissions: about.permissions,
    model: about.model ?? undefined,
    config: about.config,
    role: about.role,
    conversationId: randomUUID(),
    stateDir,
    sandbox: { write: [paths.directory], writeIfProtected: [`${paths.workspace}/.git`], protect: [] },
    mcpCommand: [`${paths.bin}/ao`, 'mcp'],
    hookCommand: [`${paths.bin}/ao-hook`, about.agent],
  }
  return { stateDir, launch }
}

function sessionThere(paths: FarPaths, { session }: FarAgentLaunch): Session {
  const given = session as unknown as Session
  return {
    ...given,
    workspacePath: paths.workspace,
    createdAt: new Date(given.createdAt),
    lastActivityAt: new Date(given.lastActivityAt),
  }
}
