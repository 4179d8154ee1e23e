// The settings ao adds for one session: hooks that report what Claude does, and ao's MCP server. They stand outside the
// workspace and are merged by Claude with the user's and the repository's own settings. Pure.
import { quoteForShell } from '../../core/text/command-line.ts'
import type { AgentLaunch } from '../../slots/agent.ts'

/** Every event that the activity table needs; StopFailure is the turn that ended with an API error. */
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

/** Events about a tool name the tools they are for. */
const TOOL_EVENTS: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest', 'PostToolUse'])

/** A hook that hangs must not hold the agent up for Claude's default of a minute. */
const HOOK_TIMEOUT_SECONDS = 10

export function claudeSettings(launch: AgentLaunch): Record<string, unknown> {
  const hooks = Object.fromEntries(
    HOOK_EVENTS.map((event) => {
      // Claude runs hook commands with a shell; the words are ours, and still every one is quoted.
      const command = [...launch.hookCommand, event].map(quoteForShell).join(' ')
      const entry = { hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_SECONDS }] }
      return [event, [TOOL_EVENTS.has(event) ? { matcher: '*', ...entry } : entry]]
    }),
  )
  return {
    // Auto mode brings a dialog of its own after the first turn, on which a blind Enter changes the user's settings.
    permissions: { disableAutoMode: 'disable', allow: [`mcp__${MCP_SERVER}`] },
    ...(launch.permissions === 'skip' ? { skipDangerousModePermissionPrompt: true } : {}),
    hooks,
  }
}

const MCP_SERVER = 'ao'

export function claudeMcpConfig(launch: AgentLaunch): Record<string, unknown> {
  const [command, ...args] = launch.mcpCommand
  return { mcpServers: command === undefined ? {} : { [MCP_SERVER]: { type: 'stdio', command, args } } }
}
