// Starting and resuming Codex: its argv, and what ao remembers of the newest launch in `{stateDir}/codex.json`. Everything
// is passed as flags: no file of the user is changed.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { PermissionMode } from '../../contract/config.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { userHome } from '../../lib/process/own-home.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { readLaunchFile } from '../agent-files/launch-note.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { programArgv } from '../agent-files/program-argv.ts'
import { askCodex } from './ask-codex.ts'
import { decideHooks, type HookDecision, hookDefinitionFlags, hookFlags } from './hooks.ts'
import { type SandboxSettings, sandboxFlags, writesNothing } from './sandbox.ts'
import { tomlList, tomlString, tomlTable } from './toml-value.ts'

/** One argument may have at most 128 KiB on Linux; this leaves room. */
const MAX_ARGUMENT_BYTES = 126_000

/**
 * default: the user's own Codex settings decide. auto-edit: it may change the workspace, and asks for anything beyond.
 * suggest: it may only read, and asks for every change. skip: no sandbox, no questions.
 */
const PERMISSION_FLAGS: Record<PermissionMode, string[]> = {
  skip: ['--dangerously-bypass-approvals-and-sandbox'],
  'auto-edit': ['--ask-for-approval', 'on-request'],
  default: [],
  suggest: ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'],
}

/** Codex passes only a few variables on to MCP servers; ao's own needs these to know its session. */
const MCP_VARIABLES = [
  'AO_SESSION',
  'AO_DATA_DIR',
  'AO_STATE_DIR',
  'AO_PROJECT_ID',
  'AO_CONFIG_PATH',
  'AO_CALLER_TYPE',
  'AO_SPAWN_ID',
]

/** What Codex reported about itself in this workspace, before it was started. */
interface CodexFacts {
  hooks: HookDecision
  sandbox: SandboxSettings | null
}

const UNASKED: CodexFacts = { hooks: { use: 'as configured' }, sandbox: null }

export function launchCommand(launch: AgentLaunch): string[] {
  return [
    ...programArgv(launch.config, 'codex'),
    ...commonFlags(launch),
    ...(launch.prompt === undefined ? [] : ['--', promptArgument(launch)]),
  ]
}

/**
 * Flags come before the id: what follows it would be a prompt. A thread that began in another directory, as in another place,
 * is continued in this one: without `--cd` Codex asks which.
 */
export function resumeCommand(launch: AgentLaunch, threadId: string): string[] {
  const flags = ['--cd', launch.workspacePath, ...commonFlags(launch)]
  return [...programArgv(launch.config, 'codex'), 'resume', ...flags, threadId]
}

/** With its task as the next message. */
export function forkCommand(launch: AgentLaunch, threadId: string): string[] {
  return [...resumeCommand(launch, threadId), ...(launch.prompt === undefined ? [] : ['--', promptArgument(launch)])]
}

/** Trust for the workspace in this launch only; without it Codex asks at the start. */
function trustFlags(workspacePath: string): string[] {
  const trusted = pathAndTarget(workspacePath).map((path) => [path, '{trust_level="trusted"}'] as const)
  return ['-c', `projects=${tomlTable(trusted)}`]
}

function isLongPrompt(prompt: string): boolean {
  return Buffer.byteLength(prompt) > MAX_ARGUMENT_BYTES
}

export function prepareLaunch(launch: AgentLaunch, context: PluginContext, clock: Clock): void {
  const { stateDir, prompt, config } = launch
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  if (prompt !== undefined && isLongPrompt(prompt)) {
    writeFileAtomic(stateFiles.prompt(stateDir), prompt, { isForeign: true })
  }
  writeLaunchRecord(stateDir, {
    launchedAt: clock.now().toISOString(),
    codexHome: codexHome(context.home, context.env, config.env),
    isResume: launch.isResume === true,
    hasPrompt: prompt !== undefined,
  })
}

export async function readFacts(launch: AgentLaunch, context: PluginContext): Promise<CodexFacts> {
  const { workspacePath, hookCommand, config, permissions } = launch
  const flags = [...trustFlags(workspacePath), ...hookDefinitionFlags(hookCommand)]
  const command = [...programArgv(config, 'codex'), 'app-server', ...flags]
  const request = { command, cwd: workspacePath, env: { ...context.env, ...config.env } }
  const { hooks: listed, sandbox } = await askCodex(request, context.log)
  const hooks = decideHooks(listed, hookCommand)
  if (hooks.use === 'none') {
    context.log.warn(
      'No hook of Codex runs in this session, because some were not reviewed; review them in codex with /hooks',
      { hooks: hooks.unreviewed },
    )
  }
  if (writesNothing(permissions, sandbox)) {
    context.log.warn(
      'Your Codex settings allow no command to write, so this session cannot commit or open a pull request without your approval; agentConfig.permissions: auto-edit allows it',
    )
  }
  return { hooks, sandbox }
}

function commonFlags(launch: AgentLaunch): string[] {
  const { hooks, sandbox } = (launch.facts as CodexFacts | undefined) ?? UNASKED
  return [
    // The background server would continue a turn after its terminal was killed.
    '--no-daemon',
    '-c',
    'features.daemon_auto_start=false',
    '-c',
    'check_for_update_on_startup=false',
    // A login shell resets PATH, and `gh` would be a different program than the session's.
    '-c',
    'allow_login_shell=false',
    ...trustFlags(launch.workspacePath),
    ...sandboxFlags(launch.permissions, sandbox, launch.sandbox),
    ...PERMISSION_FLAGS[launch.permissions],
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    ...instructionFlags(launch.systemPromptFile),
    ...mcpFlags(launch.mcpCommand),
    ...hookFlags(hooks, launch.hookCommand),
    ...(launch.config.args ?? []),
  ]
}

/** codex-acp takes settings from a variable; what the user set there stays. */
export function acpEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  try {
    const own: unknown = JSON.parse(env.CODEX_CONFIG || '{}')
    if (typeof own !== 'object' || own === null || Array.isArray(own)) return {}
    return { CODEX_CONFIG: JSON.stringify({ allow_login_shell: false, ...own }) }
  } catch {
    // The user's own is not JSON: codex-acp will say so.
    return {}
  }
}

/** What does not fit into an argument is read by Codex itself, which may read every file without asking. */
function promptArgument({ prompt = '', stateDir }: AgentLaunch): string {
  if (!isLongPrompt(prompt)) return prompt
  return `Your task was too long for a command line. Read all of ${stateFiles.prompt(stateDir)} first, then do what it says.`
}

function instructionFlags(file: string | undefined): string[] {
  if (file === undefined) return []
  const flag = `developer_instructions=${tomlString(readPlainText(file))}`
  if (Buffer.byteLength(flag) <= MAX_ARGUMENT_BYTES) return ['-c', flag]
  const note = `Your instructions were too long for a command line. Before anything else, read all of ${file} and follow it.`
  return ['-c', `developer_instructions=${tomlString(note)}`]
}

function mcpFlags([command, ...args]: readonly string[]): string[] {
  if (command === undefined) return []
  const server = tomlTable([
    ['command', tomlString(command)],
    ['args', tomlList(args)],
    ['env_vars', tomlList(MCP_VARIABLES)],
  ])
  return ['-c', `mcp_servers.ao=${server}`]
}

const recordSchema = z.object({
  launchedAt: z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)))),
  codexHome: z.string(),
  isResume: z.boolean(),
  /** Without one Codex writes nothing before the first message. */
  hasPrompt: z.boolean(),
})

type LaunchRecord = z.infer<typeof recordSchema>

/** null: no launch was prepared here, or the file is damaged. */
export function readLaunchRecord(stateDir: string): LaunchRecord | null {
  return readLaunchFile(stateFiles.record(stateDir), recordSchema)
}

function writeLaunchRecord(stateDir: string, record: LaunchRecord): void {
  writeFileAtomic(stateFiles.record(stateDir), `${JSON.stringify(record, null, 2)}\n`)
}

/** `CODEX_HOME`, or `~/.codex`. The configuration's own environment for the agent wins. */
export function codexHome(home: string, env: NodeJS.ProcessEnv, ofConfig: Record<string, string> = {}): string {
  return ofConfig.CODEX_HOME || env.CODEX_HOME || join(userHome(home, env), '.codex')
}

/** Files that ao keeps for this agent, outside the workspace. */
export const stateFiles = {
  record: (stateDir: string) => join(stateDir, 'codex.json'),
  rollout: (stateDir: string) => join(stateDir, 'codex-rollout.json'),
  prompt: (stateDir: string) => join(stateDir, 'codex-prompt.md'),
}
