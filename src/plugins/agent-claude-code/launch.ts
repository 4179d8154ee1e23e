// Starting and resuming Claude Code: its argv, what must be ready beforehand (settings, MCP server, session id, no dialog
// in its way), and what ao remembers of its launches in `{stateDir}/claude.json`.

import { mkdirSync } from 'node:fs'
import * as z from 'zod/mini'
import type { PermissionMode } from '../../contract/config.ts'
import { quoteForShell } from '../../core/text/command-line.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { removeFile } from '../../lib/remove.ts'
import { fitsArgument } from '../../lib/start-program.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { readLaunchFile } from '../agent-files/launch-note.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { programArgv } from '../agent-files/program-argv.ts'
import { seedAccountFile } from './account-file.ts'
import { claudeAccountFile, claudeConfigDir, stateFiles } from './claude-paths.ts'

const LONG_PROMPT_NOTE =
  'Your task is in your instructions under the heading "Task". It was too long for a command line. Work on it now.'

/**
 * default: the user's own Claude settings decide. suggest: Claude's mode named "default", which asks before every edit and
 * command; plan mode would not start working at all. skip: asks nothing.
 */
const PERMISSION_FLAGS: Record<PermissionMode, string[]> = {
  skip: ['--dangerously-skip-permissions'],
  'auto-edit': ['--permission-mode', 'acceptEdits'],
  default: [],
  suggest: ['--permission-mode', 'default'],
}

/** The id is fixed at the start, so that the transcript is known. */
export function launchCommand(launch: AgentLaunch): string[] {
  return startCommand(launch, ownId(launch))
}

/** A conversation of its own that begins as a copy of that one, which stays as it is; or one that is a copy already. */
export function forkCommand(launch: AgentLaunch, sessionId: string): string[] {
  const isCopy = sessionId === launch.conversationId
  return startCommand(launch, ['--resume', sessionId, ...(isCopy ? [] : ['--fork-session', ...ownId(launch)])])
}

const ownId = ({ conversationId }: AgentLaunch): string[] => ['--session-id', conversationId]

function startCommand(launch: AgentLaunch, first: string[]): string[] {
  return [
    ...programArgv(launch.config, 'claude'),
    ...first,
    ...commonFlags(launch, launch.prompt !== undefined && !fitsArgument(launch.prompt)),
    // Without the two dashes a prompt that begins with one would be taken for an option.
    ...(launch.prompt === undefined ? [] : ['--', promptArgument(launch.prompt)]),
  ]
}

/** Resuming keeps the conversation; the flags are passed again because Claude does not keep them. */
export function resumeCommand(launch: AgentLaunch, sessionId: string, hasLongPrompt: boolean): string[] {
  return [...programArgv(launch.config, 'claude'), '--resume', sessionId, ...commonFlags(launch, hasLongPrompt)]
}

function promptArgument(prompt: string): string {
  return fitsArgument(prompt) ? prompt : LONG_PROMPT_NOTE
}

/** A long task is added below the other instructions: they may have any size, and reading them needs no permission. */
function longPromptInstructions(systemPrompt: string, prompt: string): string {
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
    ...(launch.mode === 'plan' ? ['--permission-mode', 'plan'] : PERMISSION_FLAGS[launch.permissions]),
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    ...(instructions === undefined ? [] : ['--append-system-prompt-file', instructions]),
    ...(launch.config.args ?? []),
  ]
}

export async function prepareLaunch(launch: AgentLaunch, context: PluginContext, clock: Clock): Promise<void> {
  const { stateDir, workspacePath, config } = launch
  const { home, env } = context
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeJson(stateFiles.settings(stateDir), claudeSettings(launch))
  writeJson(stateFiles.mcp(stateDir), claudeMcpConfig(launch))
  writeLongPrompt(launch)
  writeLaunchRecord(stateDir, {
    newSessionId: launch.isResume ? null : launch.conversationId,
    configDir: claudeConfigDir(home, env, config.env),
    launchedAt: clock.now(),
  })
  const seeds = {
    workspacePaths: pathAndTarget(workspacePath),
    apiKey: config.env?.ANTHROPIC_API_KEY ?? env.ANTHROPIC_API_KEY,
  }
  await seedAccountFile(claudeAccountFile(home, env, config.env), seeds, context.log)
}

/** A resume leaves it unchanged: the task of a resumed session is its original one. */
function writeLongPrompt({ prompt, systemPromptFile, stateDir }: AgentLaunch): void {
  if (prompt === undefined) return
  const file = stateFiles.longPrompt(stateDir)
  if (fitsArgument(prompt)) {
    removeFile(file)
    return
  }
  const systemPrompt = systemPromptFile ? readPlainText(systemPromptFile) : ''
  writeFileAtomic(file, longPromptInstructions(systemPrompt, prompt), { isForeign: true })
}

function writeJson(path: string, content: unknown): void {
  writeFileAtomic(path, `${JSON.stringify(content, null, 2)}\n`, { durable: false, isForeign: true })
}

/** Every event that the activity table needs; StopFailure is a turn that ended with an API error. */
const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'Notification',
  'PreCompact',
  'Stop',
  'StopFailure',
  'SessionEnd',
] as const

/** Events about a tool name the tools they apply to. */
const TOOL_EVENTS: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest', 'PostToolUse'])

/** A hook that hangs must not delay the agent for Claude's default of a minute. */
const HOOK_TIMEOUT_SECONDS = 10

/**
 * The settings ao adds for one session: hooks that report what Claude does, and ao's MCP server. They are outside the
 * workspace, and Claude merges them with the user's and the repository's own settings.
 */
function claudeSettings(launch: AgentLaunch): Record<string, unknown> {
  const hooks = Object.fromEntries(
    HOOK_EVENTS.map((event) => {
      // Claude runs hook commands in a shell; the words are ours, but every one is quoted anyway.
      const command = [...launch.hookCommand, event].map(quoteForShell).join(' ')
      const entry = { hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_SECONDS }] }
      return [event, [TOOL_EVENTS.has(event) ? { matcher: '*', ...entry } : entry]]
    }),
  )
  return {
    // Auto mode shows a dialog of its own after the first turn, in which a blind Enter changes the user's settings.
    permissions: { disableAutoMode: 'disable', allow: [`mcp__${MCP_SERVER}`] },
    skipDangerousModePermissionPrompt: launch.permissions === 'skip' || undefined,
    hooks,
  }
}

const MCP_SERVER = 'ao'

function claudeMcpConfig(launch: AgentLaunch): Record<string, unknown> {
  const [command, ...args] = launch.mcpCommand
  return { mcpServers: command === undefined ? {} : { [MCP_SERVER]: { type: 'stdio', command, args } } }
}

const recordSchema = z.object({
  /** The id of the newest session that ao started. */
  sessionId: z.string(),
  /** Ids of launches before it, oldest first. */
  earlier: z.array(z.string()),
  configDir: z.string(),
  launchedAt: z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
})

type LaunchRecord = z.infer<typeof recordSchema>

const MAX_EARLIER = 100

/** null: no launch was prepared here, or the file is damaged; the transcripts are then found by their directory. */
export function readLaunchRecord(stateDir: string): LaunchRecord | null {
  return readLaunchFile(stateFiles.record(stateDir), recordSchema)
}

/** Sessions of Claude that were held on another machine: from now on they are known as this session's, oldest first. */
export function adoptSessions(launch: AgentLaunch, ids: readonly string[], context: PluginContext, clock: Clock): void {
  const { stateDir, config } = launch
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const at = { configDir: claudeConfigDir(context.home, context.env, config.env), launchedAt: clock.now() }
  for (const newSessionId of ids) writeLaunchRecord(stateDir, { newSessionId, ...at })
}

/** `newSessionId` null: Claude continues a session that is already known. */
function writeLaunchRecord(
  stateDir: string,
  launch: { newSessionId: string | null; configDir: string; launchedAt: Date },
): void {
  const before = readLaunchRecord(stateDir)
  const earlier = before ? [...before.earlier, before.sessionId] : []
  const ids = launch.newSessionId === null ? earlier : [...earlier, launch.newSessionId]
  const record: LaunchRecord = {
    sessionId: ids.at(-1) ?? '',
    earlier: ids.slice(0, -1).slice(-MAX_EARLIER),
    configDir: launch.configDir,
    launchedAt: launch.launchedAt.toISOString(),
  }
  writeFileAtomic(stateFiles.record(stateDir), `${JSON.stringify(record, null, 2)}\n`)
}
