// Runs the demo agent in a real terminal, started as the plugin starts it, for tests.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IPty } from '@lydell/node-pty'
import type { ProjectConfig } from '../../src/contract/config.ts'
import type { Session } from '../../src/contract/session.ts'
import { silentLog } from '../../src/lib/log.ts'
import { plugin } from '../../src/plugins/agent-demo/index.ts'
import type { Agent, AgentLaunch, ReadOptions } from '../../src/slots/agent.ts'
import { createRepo, git } from '../support/git-repo.ts'
import type { TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'

export interface DemoTerminal {
  agent: Agent
  session: Session
  launch: AgentLaunch
  workspace: string
  screen(): string
  /** Resolves with the exit code. */
  ended: Promise<number>
  type(text: string): void
  /** As one bracketed paste, then Enter. */
  paste(text: string): void
  activity(now?: Date): Promise<string | null>
  untilActivity(state: string): Promise<void>
  kill(signal: string): void
}

export interface DemoOptions {
  prompt?: string
  permissions?: AgentLaunch['permissions']
  env?: Record<string, string>
  /** Resume instead of a fresh start, in the same places as before. */
  resumeOf?: DemoTerminal
}

export async function startDemo(temp: TempHome, options: DemoOptions): Promise<DemoTerminal> {
  const { spawn } = await import('@lydell/node-pty')
  const agent = plugin.create({}, createContext(temp))
  const workspace = options.resumeOf?.workspace ?? createWorkspace(temp)
  const launch = options.resumeOf?.launch ?? createLaunch(temp, workspace, options)
  const session = createSession(workspace)
  const command = options.resumeOf ? await agent.getRestoreCommand?.(session, launch) : agent.getLaunchCommand(launch)
  await agent.prepare?.({ ...launch, isResume: options.resumeOf !== undefined })
  if (!command) throw new Error('The demo agent has nothing to resume')
  const pty = spawn(command[0]!, command.slice(1), {
    cols: 100,
    rows: 30,
    cwd: workspace,
    env: { ...temp.env, DEMO_AGENT_SPEED: '200', ...agent.getEnvironment(launch), ...options.env } as Record<
      string,
      string
    >,
  })
  return drive(pty, { agent, session, launch, workspace })
}

function drive(pty: IPty, parts: Pick<DemoTerminal, 'agent' | 'session' | 'launch' | 'workspace'>): DemoTerminal {
  let output = ''
  pty.onData((data) => {
    output += data
  })
  const { agent, session, launch } = parts
  const read = (now: Date): ReadOptions => ({ stateDir: launch.stateDir, readyThresholdMs: 300_000, now })
  const activity = async (now = new Date()) => (await agent.getActivityState(session, read(now)))?.state ?? null
  return {
    ...parts,
    screen: () => output,
    ended: new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode))),
    type: (text) => pty.write(text),
    paste: (text) => pty.write(`\x1b[200~${text.replaceAll('\n', '\r')}\x1b[201~\r`),
    activity,
    untilActivity: async (state) => {
      await waitFor(`activity ${state}`, async () => (await activity()) === state)
    },
    kill: (signal) => pty.kill(signal),
  }
}

function createContext(temp: TempHome) {
  return { home: temp.home, env: temp.env, log: silentLog, configDir: temp.home, dataDir: join(temp.home, 'data') }
}

function createSession(workspacePath: string): Session {
  return {
    id: 'app-1',
    projectId: 'app',
    status: 'working',
    activity: null,
    branch: 'feat/issue-7',
    issueId: '7',
    pr: null,
    workspacePath,
    runtimeHandle: null,
    agentInfo: null,
    createdAt: new Date(),
    lastActivityAt: new Date(),
    metadata: {},
  }
}

function createWorkspace(temp: TempHome): string {
  const workspace = createRepo(join(temp.home, 'work'), temp.env)
  git(workspace, temp.env, 'switch', '--quiet', '--create', 'feat/issue-7')
  return workspace
}

function createLaunch(temp: TempHome, workspacePath: string, options: DemoOptions): AgentLaunch {
  const stateDir = join(temp.home, 'state')
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  if (options.prompt !== undefined) writeFileSync(join(stateDir, 'prompt.md'), options.prompt)
  return {
    sessionId: 'app-1',
    project: {
      id: 'app',
      name: 'app',
      path: workspacePath,
      sessionPrefix: 'app',
      defaultBranch: 'main',
    } as ProjectConfig,
    workspacePath,
    issueId: '7',
    ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
    permissions: options.permissions ?? 'default',
    config: {},
    role: 'worker',
    conversationId: '00000000-0000-4000-8000-000000000001',
    stateDir,
    mcpCommand: ['ao', 'mcp'],
    hookCommand: ['ao-hook', 'demo'],
  }
}
