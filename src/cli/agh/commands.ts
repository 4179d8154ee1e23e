// Every `agh` command. A command is loaded when it runs.
import type { CommandTable } from '../command-table.ts'

export const COMMANDS: CommandTable = [
  { name: 'install', group: 'Setup', load: async () => (await import('./install.ts')).installCommand },
  { name: 'agent list', group: 'Setup', load: async () => (await import('./agent-list.ts')).agentListCommand },
  { name: 'agent info', group: 'Setup', load: async () => (await import('./agent-info.ts')).agentInfoCommand },
  { name: 'openapi', group: 'Setup', load: async () => (await import('./openapi.ts')).openapiCommand },
  { name: 'daemon start', group: 'Daemon', load: async () => (await import('./daemon-start.ts')).daemonStartCommand },
  { name: 'daemon stop', group: 'Daemon', load: async () => (await import('./daemon-stop.ts')).daemonStopCommand },
  {
    name: 'daemon status',
    group: 'Daemon',
    load: async () => (await import('./daemon-status.ts')).daemonStatusCommand,
  },
  {
    name: 'observe health',
    group: 'Daemon',
    load: async () => (await import('./observe-health.ts')).observeHealthCommand,
  },
  { name: 'session new', group: 'Sessions', load: async () => (await import('./session-new.ts')).sessionNewCommand },
  { name: 'session list', group: 'Sessions', load: async () => (await import('./session-list.ts')).sessionListCommand },
  {
    name: 'session status',
    group: 'Sessions',
    load: async () => (await import('./session-status.ts')).sessionStatusCommand,
  },
  {
    name: 'session prompt',
    group: 'Sessions',
    load: async () => (await import('./session-prompt.ts')).sessionPromptCommand,
  },
  {
    name: 'session cancel',
    group: 'Sessions',
    load: async () => (await import('./session-cancel.ts')).sessionCancelCommand,
  },
  {
    name: 'session attach',
    group: 'Sessions',
    load: async () => (await import('./session-attach.ts')).sessionAttachCommand,
  },
  {
    name: 'session approve',
    group: 'Sessions',
    load: async () => (await import('./session-approve.ts')).sessionApproveCommand,
  },
  { name: 'session wait', group: 'Sessions', load: async () => (await import('./session-wait.ts')).sessionWaitCommand },
  { name: 'session set', group: 'Sessions', load: async () => (await import('./session-set.ts')).sessionSetCommand },
  { name: 'session stop', group: 'Sessions', load: async () => (await import('./session-stop.ts')).sessionStopCommand },
  {
    name: 'session resume',
    group: 'Sessions',
    load: async () => (await import('./session-resume.ts')).sessionResumeCommand,
  },
  {
    name: 'session events',
    group: 'History',
    load: async () => (await import('./session-events.ts')).sessionEventsCommand,
  },
  {
    name: 'session history',
    group: 'History',
    load: async () => (await import('./session-history.ts')).sessionHistoryCommand,
  },
  {
    name: 'session usage',
    group: 'History',
    load: async () => (await import('./session-usage.ts')).sessionUsageCommand,
  },
  {
    name: 'session hooks',
    group: 'History',
    load: async () => (await import('./session-hooks.ts')).sessionHooksCommand,
  },
  {
    name: 'session repair',
    group: 'History',
    load: async () => (await import('./session-repair.ts')).sessionRepairCommand,
  },
  {
    name: 'session health',
    group: 'Sessions',
    load: async () => (await import('./session-health.ts')).sessionHealthCommand,
  },
  {
    name: 'session inspect',
    group: 'Sessions',
    load: async () => (await import('./session-inspect.ts')).sessionInspectCommand,
  },
  { name: 'session wake', group: 'Sessions', load: async () => (await import('./session-wake.ts')).sessionWakeCommand },
  { name: 'spawn', group: 'Sessions', load: async () => (await import('./spawn.ts')).spawnCommand },
  { name: 'task create', group: 'Tasks', load: async () => (await import('./task-create.ts')).taskCreateCommand },
  { name: 'task list', group: 'Tasks', load: async () => (await import('./task-list.ts')).taskListCommand },
  { name: 'task info', group: 'Tasks', load: async () => (await import('./task-info.ts')).taskInfoCommand },
  { name: 'task run', group: 'Tasks', load: async () => (await import('./task-run.ts')).taskRunCommand },
  { name: 'task remove', group: 'Tasks', load: async () => (await import('./task-remove.ts')).taskRemoveCommand },
  {
    name: 'workspace add',
    group: 'Workspaces',
    load: async () => (await import('./workspace-add.ts')).workspaceAddCommand,
  },
  {
    name: 'workspace list',
    group: 'Workspaces',
    load: async () => (await import('./workspace-list.ts')).workspaceListCommand,
  },
  {
    name: 'workspace info',
    group: 'Workspaces',
    load: async () => (await import('./workspace-info.ts')).workspaceInfoCommand,
  },
  {
    name: 'workspace remove',
    group: 'Workspaces',
    load: async () => (await import('./workspace-remove.ts')).workspaceRemoveCommand,
  },
  { name: '__docs', group: '', hidden: true, load: async () => (await import('./docs.ts')).docsCommand },
]
