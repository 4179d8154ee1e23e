// Every plugin that ships with ao: the one table. A row loads its code only when it is asked to.
import type { SlotName } from '../contract/slot-names.ts'
import type { Plugin } from '../slots/plugin.ts'

export interface BuiltinPlugin {
  slot: SlotName
  name: string
  description: string
  load(): Promise<{ plugin: Plugin }>
}

export const BUILTIN_PLUGINS: readonly BuiltinPlugin[] = [
  {
    slot: 'runtime',
    name: 'tmux',
    description: 'Runs each agent in a tmux session on a server of its own',
    load: () => import('./runtime-tmux/index.ts'),
  },
  {
    slot: 'runtime',
    name: 'process',
    description: 'Runs each agent in a terminal of its own without tmux',
    load: () => import('./runtime-process/index.ts'),
  },
  {
    slot: 'runtime',
    name: 'acp',
    description: 'Runs each agent as a durable agh session over the Agent Client Protocol',
    load: () => import('./runtime-acp/index.ts'),
  },
  {
    slot: 'agent',
    name: 'claude-code',
    description: 'Claude Code',
    load: () => import('./agent-claude-code/index.ts'),
  },
  { slot: 'agent', name: 'codex', description: 'Codex', load: () => import('./agent-codex/index.ts') },
  { slot: 'agent', name: 'opencode', description: 'opencode', load: () => import('./agent-opencode/index.ts') },
  { slot: 'agent', name: 'gemini', description: 'Gemini CLI', load: () => import('./agent-gemini/index.ts') },
  { slot: 'agent', name: 'aider', description: 'Aider', load: () => import('./agent-aider/index.ts') },
  {
    slot: 'agent',
    name: 'generic',
    description: 'Any program with a terminal, named by agentConfig.command',
    load: () => import('./agent-generic/index.ts'),
  },
  {
    slot: 'agent',
    name: 'demo',
    description: 'A scripted agent for trying things out; there is no model behind it',
    load: () => import('./agent-demo/index.ts'),
  },
  {
    slot: 'workspace',
    name: 'worktree',
    description: 'A git worktree per session',
    load: () => import('./workspace-worktree/index.ts'),
  },
  {
    slot: 'workspace',
    name: 'clone',
    description: 'A clone of the repository per session',
    load: () => import('./workspace-clone/index.ts'),
  },
  {
    slot: 'tracker',
    name: 'local',
    description: "Issues as Markdown files in ao's data directory",
    load: () => import('./tracker-local/index.ts'),
  },
  {
    slot: 'scm',
    name: 'local',
    description: 'Pull requests, CI and reviews without a server',
    load: () => import('./scm-local/index.ts'),
  },
  { slot: 'tracker', name: 'github', description: 'Issues on GitHub', load: () => import('./tracker-github/index.ts') },
  { slot: 'scm', name: 'github', description: 'Pull requests on GitHub', load: () => import('./scm-github/index.ts') },
  { slot: 'tracker', name: 'gitlab', description: 'Issues on GitLab', load: () => import('./tracker-gitlab/index.ts') },
  { slot: 'tracker', name: 'linear', description: 'Issues in Linear', load: () => import('./tracker-linear/index.ts') },
  { slot: 'scm', name: 'gitlab', description: 'Merge requests on GitLab', load: () => import('./scm-gitlab/index.ts') },
  {
    slot: 'notifier',
    name: 'desktop',
    description: "The desktop's own notifications",
    load: () => import('./notifier-desktop/index.ts'),
  },
  {
    slot: 'notifier',
    name: 'slack',
    description: 'Tells a Slack channel',
    load: () => import('./notifier-slack/index.ts'),
  },
  {
    slot: 'notifier',
    name: 'discord',
    description: 'Tells a Discord channel',
    load: () => import('./notifier-discord/index.ts'),
  },
  {
    slot: 'notifier',
    name: 'webhook',
    description: 'Sends JSON to any address',
    load: () => import('./notifier-webhook/index.ts'),
  },
  {
    slot: 'notifier',
    name: 'ntfy',
    description: 'Pushes to phones through ntfy',
    load: () => import('./notifier-ntfy/index.ts'),
  },
  {
    slot: 'terminal',
    name: 'attach',
    description: 'Opens a session in the terminal you are in',
    load: () => import('./terminal-attach/index.ts'),
  },
  {
    slot: 'terminal',
    name: 'iterm2',
    description: 'Opens a session in a tab of iTerm2 (macOS)',
    load: () => import('./terminal-iterm2/index.ts'),
  },
  {
    slot: 'terminal',
    name: 'web',
    description: "Opens a session's page in the dashboard",
    load: () => import('./terminal-web/index.ts'),
  },
]
