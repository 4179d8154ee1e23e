// A place for one agent under test: a home, a repository with a worktree, a state directory, and files as they were at a
// moment of a recorded session.
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Session } from '../../src/contract/session.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { AgentLaunch, ReadOptions } from '../../src/slots/agent.ts'
import type { PluginContext } from '../../src/slots/plugin.ts'
import { createRepo, git } from '../support/git-repo.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

export interface AgentWorld {
  temp: TempHome
  home: string
  workspacePath: string
  stateDir: string
  context: PluginContext
  session: Session
  launch(overrides?: Partial<AgentLaunch>): AgentLaunch
  options(now: Date, readyThresholdMs?: number): ReadOptions
  /** What git reports as changed in the worktree. */
  worktreeChanges(): string
}

export const HOOK_COMMAND = ["/opt/ao bin/it's/ao-hook", 'agent-name']
const MCP_COMMAND = ['/opt/ao/node', '/opt/ao/ao.js', 'mcp']

export function createAgentWorld(): AgentWorld {
  const temp = createTempHome()
  const { home, env } = temp
  const repo = createRepo(join(home, 'repo'), env, { 'README.md': '# sample\n', '.claude/settings.json': '{}\n' })
  // A name with characters that agents replace in their own names of it.
  const workspacePath = join(home, 'work_trees', 'app.v2-1')
  mkdirSync(dirname(workspacePath), { recursive: true })
  git(repo, env, 'worktree', 'add', '--quiet', '-b', 'app-1', workspacePath)
  const stateDir = join(home, 'state')
  mkdirSync(stateDir, { mode: 0o700 })
  return {
    temp,
    home,
    workspacePath,
    stateDir,
    context: { home, env, log: silentLog, configDir: home, dataDir: join(home, 'data') },
    session: sessionAt(workspacePath),
    launch: (overrides = {}) => ({
      sessionId: 'app-1',
      project: { id: 'app', name: 'app', path: repo, sessionPrefix: 'app', defaultBranch: 'main' },
      workspacePath,
      permissions: 'default',
      config: {},
      role: 'worker',
      conversationId: '00000000-0000-4000-8000-000000000001',
      stateDir,
      mcpCommand: MCP_COMMAND,
      hookCommand: HOOK_COMMAND,
      ...overrides,
    }),
    options: (now, readyThresholdMs = 300_000) => ({ now, readyThresholdMs, stateDir }),
    worktreeChanges: () => git(workspacePath, env, 'status', '--porcelain', '--ignored'),
  }
}

/** No runtime handle: everything must be read from files alone. */
function sessionAt(workspacePath: string): Session {
  const at = new Date('2026-11-15T01:00:00Z')
  return {
    id: 'app-1',
    projectId: 'app',
    status: 'working',
    activity: null,
    branch: 'app-1',
    issueId: null,
    pr: null,
    workspacePath,
    runtimeHandle: null,
    agentInfo: null,
    createdAt: at,
    lastActivityAt: at,
    metadata: {},
  }
}

const TELEMETRY = join(import.meta.dirname, '..', 'fixtures', 'telemetry')

/** A recording of this repository, or a whole path. */
export function readTelemetry(name: string): string {
  return readFileSync(resolve(TELEMETRY, name), 'utf8')
}

/** The lines written until `moment`; a line without a time belongs to the one before it. */
export function cutAt(jsonl: string, moment: Date): string {
  const kept: string[] = []
  for (const line of jsonl.split('\n').filter((text) => text !== '')) {
    const record = JSON.parse(line) as { timestamp?: string; at?: string }
    const at = record.timestamp ?? record.at
    if (at && new Date(at) > moment) break
    kept.push(line)
  }
  return kept.map((line) => `${line}\n`).join('')
}

/** Writes a file with the time of its last change. */
export function placeFile(path: string, content: string, modifiedAt: Date): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  utimesSync(path, modifiedAt, modifiedAt)
}
