// The argv and environment that start or resume Gemini. MCP servers and other settings can only come from the user's own
// settings files: Gemini takes no other file unless it belongs to root.
import { readFileSync } from 'node:fs'
import type { PermissionMode } from '../../contract/config.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { stateFiles } from './gemini-paths.ts'

/** One argument of a program may have at most 128 KiB on Linux; this leaves room. */
const MAX_ARGUMENT_BYTES = 120_000

/** default: the user's own settings decide. suggest: Gemini's mode named "default", which asks each time. */
const APPROVAL_FLAGS: Record<PermissionMode, string[]> = {
  skip: ['--approval-mode', 'yolo'],
  'auto-edit': ['--approval-mode', 'auto_edit'],
  default: [],
  suggest: ['--approval-mode', 'default'],
}

export function launchCommand(launch: AgentLaunch): string[] {
  return [...program(launch), ...commonFlags(launch), ...taskFlags(launch)]
}

export function resumeCommand(launch: AgentLaunch, sessionId: string): string[] {
  return [...program(launch), '--resume', sessionId, ...commonFlags(launch)]
}

/** What Gemini is to read first. It has no flag for instructions, so they stand before the task. */
export function firstMessage(launch: AgentLaunch): string | null {
  const instructions = launch.systemPromptFile === undefined ? null : readFileSync(launch.systemPromptFile, 'utf8')
  const parts = [instructions, launch.prompt].filter((text) => text !== null && text !== undefined)
  return parts.length === 0 ? null : parts.join('\n\n')
}

export function isLong(message: string): boolean {
  return Buffer.byteLength(message) > MAX_ARGUMENT_BYTES
}

/** The dialog "Do you trust this folder?" would keep it from starting; whoever runs ao on a repository trusts it. */
export function launchEnvironment(): Record<string, string> {
  return { GEMINI_CLI_TRUST_WORKSPACE: 'true' }
}

function taskFlags(launch: AgentLaunch): string[] {
  const message = firstMessage(launch)
  if (message === null) return []
  // Joined with =, because a message that begins with a dash would be taken for an option.
  if (!isLong(message)) return [`--prompt-interactive=${message}`]
  const file = stateFiles.longPrompt(launch.stateDir)
  const note = `Your task was too long for a command line. Read all of it in the file ${file}, then work on it.`
  return ['--include-directories', launch.stateDir, `--prompt-interactive=${note}`]
}

function program(launch: AgentLaunch): string[] {
  const { command } = launch.config
  if (Array.isArray(command) && command.length > 0) return command
  return [typeof command === 'string' && command !== '' ? command : 'gemini']
}

function commonFlags(launch: AgentLaunch): string[] {
  return [
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    ...APPROVAL_FLAGS[launch.permissions],
    ...(launch.config.args ?? []),
  ]
}
