// The argv and environment that start or resume Gemini. MCP servers and other settings can only come from the user's own
// settings files: Gemini accepts no other file unless it belongs to root.

import { join } from 'node:path'
import type { PermissionMode } from '../../contract/config.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { fitsArgument } from '../../lib/start-program.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { programArgv } from '../agent-files/program-argv.ts'

/** default: the user's own settings decide. suggest: Gemini's mode named "default", which asks each time. */
const APPROVAL_FLAGS: Record<PermissionMode, string[]> = {
  skip: ['--approval-mode', 'yolo'],
  'auto-edit': ['--approval-mode', 'auto_edit'],
  default: [],
  suggest: ['--approval-mode', 'default'],
}

export const stateFiles = {
  /** A task too long for an argument. */
  longPrompt: (stateDir: string) => join(stateDir, 'gemini-task.md'),
}

export function launchCommand(launch: AgentLaunch): string[] {
  return [...programArgv(launch.config, 'gemini'), ...commonFlags(launch), ...taskFlags(launch)]
}

export function resumeCommand(launch: AgentLaunch, sessionId: string): string[] {
  return [...programArgv(launch.config, 'gemini'), '--resume', sessionId, ...commonFlags(launch)]
}

/** With its task as the next message. */
export function forkCommand(launch: AgentLaunch, sessionId: string): string[] {
  return [...resumeCommand(launch, sessionId), ...(launch.prompt === undefined ? [] : taskFlags(launch))]
}

/** What Gemini should read first. It has no flag for instructions, so they precede the task. */
export function firstMessage(launch: AgentLaunch): string | null {
  const instructions = launch.systemPromptFile === undefined ? null : readPlainText(launch.systemPromptFile)
  const parts = [instructions, launch.prompt].filter((text) => text !== null && text !== undefined)
  return parts.length === 0 ? null : parts.join('\n\n')
}

/** The dialog "Do you trust this folder?" would keep it from starting; running ao on a repository implies trusting it. */
export function launchEnvironment(): Record<string, string> {
  return { GEMINI_CLI_TRUST_WORKSPACE: 'true' }
}

function taskFlags(launch: AgentLaunch): string[] {
  const message = firstMessage(launch)
  if (message === null) return []
  // Joined with =, because a message that begins with a dash would be taken for an option.
  if (fitsArgument(message)) return [`--prompt-interactive=${message}`]
  const file = stateFiles.longPrompt(launch.stateDir)
  const note = `Your task was too long for a command line. Read all of it in the file ${file}, then work on it.`
  return ['--include-directories', launch.stateDir, `--prompt-interactive=${note}`]
}

function commonFlags(launch: AgentLaunch): string[] {
  return [
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    ...APPROVAL_FLAGS[launch.permissions],
    ...(launch.config.args ?? []),
  ]
}
