// The argv that starts or resumes Codex. Everything is said by flags: no file of the user is changed. Pure, except that
// instructions are read from the file that was handed over.
import type { PermissionMode } from '../../contract/config.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { programWords } from '../agent-files/program-words.ts'
import { stateFiles } from './codex-paths.ts'
import { type HookDecision, hookFlags } from './hook-flags.ts'
import { tomlList, tomlString, tomlTable } from './toml-value.ts'

/** One argument of a program may have at most 128 KiB on Linux; this leaves room. */
const MAX_ARGUMENT_BYTES = 126_000

/**
 * default: the user's own Codex settings decide. auto-edit: it may change the workspace, and asks for what lies beyond.
 * suggest: it may only read, and asks for every change. skip: no sandbox, no questions.
 */
const PERMISSION_FLAGS: Record<PermissionMode, string[]> = {
  skip: ['--dangerously-bypass-approvals-and-sandbox'],
  'auto-edit': ['--sandbox', 'workspace-write', '--ask-for-approval', 'on-request'],
  default: [],
  suggest: ['--sandbox', 'read-only', '--ask-for-approval', 'on-request'],
}

/** Codex hands only few variables on to MCP servers; ao's own needs these to know its session. */
const MCP_VARIABLES = [
  'AO_SESSION',
  'AO_DATA_DIR',
  'AO_STATE_DIR',
  'AO_PROJECT_ID',
  'AO_CONFIG_PATH',
  'AO_CALLER_TYPE',
  'AO_SPAWN_ID',
]

export function launchCommand(launch: AgentLaunch, hooks: HookDecision): string[] {
  return [
    ...programWords(launch.config, 'codex'),
    ...commonFlags(launch, hooks),
    ...(launch.prompt === undefined ? [] : ['--', promptArgument(launch)]),
  ]
}

/** Flags come before the id: what follows it would be a prompt. */
export function resumeCommand(launch: AgentLaunch, hooks: HookDecision, threadId: string): string[] {
  return [...programWords(launch.config, 'codex'), 'resume', ...commonFlags(launch, hooks), threadId]
}

/** Trust for the workspace in this launch only; without it Codex asks at the start. */
export function trustFlags(workspacePath: string): string[] {
  const trusted = pathAndTarget(workspacePath).map((path) => [path, '{trust_level="trusted"}'] as const)
  return ['-c', `projects=${tomlTable(trusted)}`]
}

export function isLongPrompt(prompt: string): boolean {
  return Buffer.byteLength(prompt) > MAX_ARGUMENT_BYTES
}

function commonFlags(launch: AgentLaunch, hooks: HookDecision): string[] {
  return [
    // The background server would go on with a turn after its terminal was killed.
    '--no-daemon',
    '-c',
    'features.daemon_auto_start=false',
    '-c',
    'check_for_update_on_startup=false',
    ...trustFlags(launch.workspacePath),
    ...PERMISSION_FLAGS[launch.permissions],
    ...(launch.model === undefined ? [] : ['--model', launch.model]),
    ...instructionFlags(launch.systemPromptFile),
    ...mcpFlags(launch.mcpCommand),
    ...hookFlags(hooks, launch.hookCommand),
    ...(launch.config.args ?? []),
  ]
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
