// The argv and environment that start or resume Gemini. MCP servers and other settings can only come from the user's own
// settings files: Gemini accepts no other file unless it belongs to root.

import { agentRow, type TerminalCommand } from '../../contract/agents/agent-table.ts'
import { fitsArgument } from '../../lib/start-program.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { forkArgv, launchArgv, firstMessage as messageOf, resumeArgv } from '../agent-table/launch-argv.ts'
import { factsOf } from '../agent-table/launch-facts.ts'

export const NAME = 'gemini'
const ROW = agentRow(NAME)!

export const TERMINAL: TerminalCommand = {
  // Joined with =, because a message that begins with a dash would be taken for an option.
  prompt: ['--prompt-interactive={prompt}'],
  // default: the user's own settings decide. suggest: Gemini's mode named "default", which asks each time.
  permissions: {
    skip: ['--approval-mode', 'yolo'],
    'auto-edit': ['--approval-mode', 'auto_edit'],
    suggest: ['--approval-mode', 'default'],
  },
  model: '--model',
  resume: ['--resume', '{id}'],
}

export function launchCommand(launch: AgentLaunch): string[] {
  return launchArgv(ROW, TERMINAL, withTaskFile(launch), factsOf(NAME, launch, null))
}

export function resumeCommand(launch: AgentLaunch, sessionId: string): string[] | null {
  return resumeArgv(ROW, TERMINAL, launch, factsOf(NAME, launch, sessionId))
}

/** With its task as the next message. */
export function forkCommand(launch: AgentLaunch, sessionId: string): string[] {
  const given = launch.prompt === undefined ? launch : withTaskFile(launch)
  return forkArgv(ROW, TERMINAL, given, factsOf(NAME, launch, sessionId))
}

/** It reads only files of its directories. */
function withTaskFile(launch: AgentLaunch): AgentLaunch {
  const { config, stateDir } = launch
  const message = firstMessage(launch)
  if (message === null || fitsArgument(message)) return launch
  return { ...launch, config: { ...config, args: [...(config.args ?? []), '--include-directories', stateDir] } }
}

/** What Gemini should read first. It has no flag for instructions, so they precede the task. */
export function firstMessage(launch: AgentLaunch): string | null {
  return messageOf(TERMINAL, launch, factsOf(NAME, launch, null))
}

/** The dialog "Do you trust this folder?" would keep it from starting; running ao on a repository implies trusting it. */
export function launchEnvironment(): Record<string, string> {
  return { GEMINI_CLI_TRUST_WORKSPACE: 'true' }
}
