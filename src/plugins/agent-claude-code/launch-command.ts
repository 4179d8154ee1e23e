// The argv that starts or resumes Claude Code. Pure: what it needs to know about files comes in as parameters.
import type { PermissionMode } from '../../contract/config.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { fitsArgument, programWords } from '../agent-files/program-words.ts'
import { stateFiles } from './claude-paths.ts'

const LONG_PROMPT_NOTE =
  'Your task is in your instructions under the heading "Task". It was too long for a command line. Work on it now.'

/**
 * default: the user's own Claude settings decide. suggest: Claude's mode named "default", which asks before every edit
 * and command; plan mode would not start working at all. skip: asks nothing.
 */
const PERMISSION_FLAGS: Record<PermissionMode, string[]> = {
  skip: ['--dangerously-skip-permissions'],
  'auto-edit': ['--permission-mode', 'acceptEdits'],
  default: [],
  suggest: ['--permission-mode', 'default'],
}

/** `newSessionId` fixes the id at the start, so that the transcript is known; null leaves it to Claude. */
export function launchCommand(launch: AgentLaunch, newSessionId: string | null): string[] {
  return [
    ...programWords(launch.config, 'claude'),
    ...(newSessionId === null ? [] : ['--session-id', newSessionId]),
    ...commonFlags(launch, launch.prompt !== undefined && !fitsArgument(launch.prompt)),
    // Without the two dashes a prompt that begins with one would be taken for an option.
    ...(launch.prompt === undefined ? [] : ['--', promptArgument(launch.prompt)]),
  ]
}

/** Resuming keeps the conversation; the flags are given again because Claude does not keep them. */
export function resumeCommand(launch: AgentLaunch, sessionId: string, hasLongPrompt: boolean): string[] {
  return [...programWords(launch.config, 'claude'), '--resume', sessionId, ...commonFlags(launch, hasLongPrompt)]
}

function promptArgument(prompt: string): string {
  return fitsArgument(prompt) ? prompt : LONG_PROMPT_NOTE
}

/** A long task stands below the other instructions: they may have any size, and reading them asks for no permission. */
export function longPromptInstructions(systemPrompt: string, prompt: string): string {
  return `${systemPrompt}${systemPrompt === '' ? '' : '\n\n'}# Task\n\n${prompt}`
}

function commonFlags(launch: AgentLaunch, hasLongPrompt: boolean): string[] {
  const instructions = hasLongPrompt ? stateFiles.longPrompt(launch.stateDir) : launch.systemPromptFile
  return [
    // Takes any number of values, so another option must follow it.
    '--mcp-config',
    stateFiles.mcp(launch.stateDir),
    '--settings',
    stateFiles.settings(launch.stateDir),
    ...PERMISSION_FLAGS[launch.permissions],
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    ...(instructions === undefined ? [] : ['--append-system-prompt-file', instructions]),
    ...(launch.config.args ?? []),
  ]
}
