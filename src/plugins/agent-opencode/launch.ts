// Starting and resuming OpenCode: its argv, its environment, and its files. Pure.

import { isAbsolute, join } from 'node:path'
import type { PermissionMode } from '../../contract/config.ts'
import { userHome } from '../../lib/process/own-home.ts'
import { fitsArgument } from '../../lib/start-program.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { programArgv } from '../agent-files/program-argv.ts'

const LONG_PROMPT_NOTE =
  'Your task is in your instructions, in the file opencode-task.md. It was too long for a command line. Work on it now.'

export function launchCommand(launch: AgentLaunch): string[] {
  const { prompt } = launch
  // Joined with =, because a prompt that begins with a dash would be taken for an option.
  const task = prompt === undefined ? [] : [`--prompt=${fitsArgument(prompt) ? prompt : LONG_PROMPT_NOTE}`]
  return [...programArgv(launch.config, 'opencode'), ...commonFlags(launch), ...task]
}

/** With `--session` OpenCode ignores `--prompt`: the prompt is sent as a message afterwards. */
export function resumeCommand(launch: AgentLaunch, sessionId: string): string[] {
  return [...programArgv(launch.config, 'opencode'), '--session', sessionId, ...commonFlags(launch)]
}

/** OpenCode merges its configuration from all sources; this one comes after the user's own. */
export function opencodeConfig(launch: AgentLaunch): Record<string, unknown> {
  const isLong = launch.prompt !== undefined && !fitsArgument(launch.prompt)
  return {
    $schema: 'https://opencode.ai/config.json',
    instructions: [
      join(launch.workspacePath, '.ao', 'AGENTS.md'),
      ...(launch.systemPromptFile === undefined ? [] : [launch.systemPromptFile]),
      ...(isLong ? [stateFiles.longPrompt(launch.stateDir)] : []),
    ],
    mcp: { ao: { type: 'local', command: launch.mcpCommand, enabled: true } },
  }
}

export function launchEnvironment(launch: AgentLaunch, userEnv: NodeJS.ProcessEnv): Record<string, string> {
  const permission = PERMISSIONS[launch.permissions]
  // OPENCODE_CONFIG may be the user's: then ours is passed the other way, and both apply.
  const isTaken = Boolean(userEnv.OPENCODE_CONFIG || launch.config.env?.OPENCODE_CONFIG)
  return {
    ...(isTaken
      ? { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(launch)) }
      : { OPENCODE_CONFIG: stateFiles.config(launch.stateDir) }),
    ...(permission === null ? {} : { OPENCODE_PERMISSION: JSON.stringify(permission) }),
    // An update in the middle of a session would replace the running program.
    OPENCODE_DISABLE_AUTOUPDATE: '1',
  }
}

/** default: the user's own settings decide. skip is a flag, because that one still honours what the user denies. */
const PERMISSIONS: Record<PermissionMode, Record<string, string> | null> = {
  skip: null,
  'auto-edit': { edit: 'allow' },
  default: null,
  suggest: { edit: 'ask', bash: 'ask', webfetch: 'ask' },
}

function commonFlags(launch: AgentLaunch): string[] {
  // OpenCode's own kinds of agent: `agentConfig.agent: plan`.
  const { agent } = launch.config
  return [
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    ...(typeof agent === 'string' ? ['--agent', agent] : []),
    ...(launch.permissions === 'skip' ? ['--auto'] : []),
    ...(launch.config.args ?? []),
  ]
}

/** `$XDG_DATA_HOME/opencode`; what the session's own configuration sets wins over the user's environment. */
export function opencodeDataDir(home: string, env: NodeJS.ProcessEnv, own: Record<string, string> = {}): string {
  const base = own.XDG_DATA_HOME ?? env.XDG_DATA_HOME
  // The standard says to ignore a relative one.
  return join(base && isAbsolute(base) ? base : join(userHome(home, env), '.local', 'share'), 'opencode')
}

export const opencodeFiles = {
  database: (dataDir: string) => join(dataDir, 'opencode.db'),
  /** Written on every change, long before the database file itself. */
  wal: (dataDir: string) => join(dataDir, 'opencode.db-wal'),
  log: (dataDir: string) => join(dataDir, 'log', 'opencode.log'),
}

export const stateFiles = {
  config: (stateDir: string) => join(stateDir, 'opencode.json'),
  /** A task too long for an argument, read as an instruction file. */
  longPrompt: (stateDir: string) => join(stateDir, 'opencode-task.md'),
}
