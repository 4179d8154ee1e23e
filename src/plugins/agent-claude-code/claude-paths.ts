// Where Claude Code keeps its files, as of 2.1: nothing is read or created here.

import { join } from 'node:path'
import { userHome } from '../../lib/process/own-home.ts'

/** `CLAUDE_CONFIG_DIR`, or `~/.claude`. The configuration's own environment for the agent wins. */
export function claudeConfigDir(home: string, env: NodeJS.ProcessEnv, ofConfig: Record<string, string> = {}): string {
  return ofConfig.CLAUDE_CONFIG_DIR || env.CLAUDE_CONFIG_DIR || join(userHome(home, env), '.claude')
}

/**
 * The file with accounts, trusted directories and seen dialogs: inside a custom directory, else next to the default one.
 */
export function claudeAccountFile(home: string, env: NodeJS.ProcessEnv, ofConfig: Record<string, string> = {}): string {
  const own = ofConfig.CLAUDE_CONFIG_DIR || env.CLAUDE_CONFIG_DIR
  return join(own || userHome(home, env), '.claude.json')
}

/** Claude's name for a working directory. Two directories can share it, so the records decide. */
export function projectDirName(workspacePath: string): string {
  return workspacePath.replace(/[^A-Za-z0-9]/g, '-')
}

export const claudeFiles = {
  projects: (configDir: string) => join(configDir, 'projects'),
  transcript: (configDir: string, workspacePath: string, sessionId: string) =>
    join(configDir, 'projects', projectDirName(workspacePath), `${sessionId}.jsonl`),
  /** One small file per running process. */
  processes: (configDir: string) => join(configDir, 'sessions'),
  /** Where older documents place the sessions of a workspace. */
  workspaceSessions: (workspacePath: string) => join(workspacePath, '.claude', 'sessions'),
}

/** Files that ao keeps for this agent, outside the workspace. */
export const stateFiles = {
  record: (stateDir: string) => join(stateDir, 'claude.json'),
  settings: (stateDir: string) => join(stateDir, 'claude-settings.json'),
  mcp: (stateDir: string) => join(stateDir, 'mcp.json'),
  longPrompt: (stateDir: string) => join(stateDir, 'claude-system-prompt.md'),
}

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text)
}
