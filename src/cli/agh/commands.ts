// Every `agh` command. A command is loaded when it runs.
import type { CommandTable } from '../command-table.ts'

const doctor = () => import('./doctor.ts')
const completion = () => import('./completion.ts')
const install = () => import('./install.ts')
const agent = () => import('./agent.ts')
const docs = () => import('./docs.ts')
const daemon = () => import('./daemon.ts')
const sessionNew = () => import('./session-new.ts')
const sessionAct = () => import('./session-act.ts')
const sessionRead = () => import('./session-read.ts')
const prompt = () => import('./prompt/prompt-command.ts')
const oneShot = () => import('./prompt/run-command.ts')
const attachCommand = () => import('./attach/attach-command.ts')
const sessionHistory = () => import('./session-history.ts')
const sessionQueue = () => import('./prompt/queue-command.ts')
const sessionRules = () => import('./prompt/rules-command.ts')
const task = () => import('./task.ts')
const workspace = () => import('./workspace.ts')

export const COMMANDS: CommandTable = [
  { name: 'install', group: 'Setup', load: async () => (await install()).installCommand },
  {
    name: 'agent list',
    aliases: ['agent ls'],
    meantBy: ['agents'],
    group: 'Setup',
    load: async () => (await agent()).agentListCommand,
  },
  { name: 'agent info', aliases: ['agent show'], group: 'Setup', load: async () => (await agent()).agentInfoCommand },
  { name: 'doctor', group: 'Setup', load: async () => (await doctor()).doctorCommand },
  { name: 'completion', group: 'Setup', load: async () => (await completion()).completionCommand },
  {
    name: 'version',
    group: 'Setup',
    load: async () => (await import('../about/version.ts')).versionCommandOf('agh'),
  },
  { name: 'openapi', group: 'Setup', load: async () => (await docs()).openapiCommand },
  { name: 'daemon start', meantBy: ['start'], group: 'Daemon', load: async () => (await daemon()).daemonStartCommand },
  { name: 'daemon restart', group: 'Daemon', load: async () => (await daemon()).daemonRestartCommand },
  { name: 'daemon stop', group: 'Daemon', load: async () => (await daemon()).daemonStopCommand },
  { name: 'daemon status', group: 'Daemon', load: async () => (await daemon()).daemonStatusCommand },
  { name: 'observe health', group: 'Daemon', load: async () => (await daemon()).observeHealthCommand },
  { name: 'run', group: 'Sessions', load: async () => (await oneShot()).runCommand },
  {
    name: 'session new',
    meantBy: ['new', 'create'],
    group: 'Sessions',
    load: async () => (await sessionNew()).sessionNewCommand,
  },
  {
    name: 'session list',
    aliases: ['session ls'],
    meantBy: ['ls', 'list', 'ps', 'sessions'],
    group: 'Sessions',
    load: async () => (await sessionRead()).sessionListCommand,
  },
  {
    name: 'session status',
    aliases: ['session show', 'session info'],
    meantBy: ['status', 'show'],
    group: 'Sessions',
    load: async () => (await sessionRead()).sessionStatusCommand,
  },
  {
    name: 'session prompt',
    aliases: ['session send'],
    meantBy: ['prompt', 'send'],
    group: 'Sessions',
    load: async () => (await prompt()).sessionPromptCommand,
  },
  {
    name: 'session queue',
    meantBy: ['queue'],
    group: 'Sessions',
    load: async () => (await sessionQueue()).sessionQueueCommand,
  },
  {
    name: 'session retry',
    meantBy: ['retry'],
    group: 'Sessions',
    load: async () => (await sessionQueue()).sessionRetryCommand,
  },
  { name: 'session cancel', group: 'Sessions', load: async () => (await sessionAct()).sessionCancelCommand },
  {
    name: 'session attach',
    meantBy: ['attach'],
    group: 'Sessions',
    load: async () => (await attachCommand()).sessionAttachCommand,
  },
  {
    name: 'session approve',
    meantBy: ['approve', 'deny'],
    group: 'Sessions',
    load: async () => (await sessionAct()).sessionApproveCommand,
  },
  {
    name: 'session rules',
    meantBy: ['rules'],
    group: 'Sessions',
    load: async () => (await sessionRules()).sessionRulesCommand,
  },
  { name: 'session wait', group: 'Sessions', load: async () => (await sessionRead()).sessionWaitCommand },
  { name: 'session set', group: 'Sessions', load: async () => (await sessionNew()).sessionSetCommand },
  {
    name: 'session stop',
    aliases: ['session kill'],
    meantBy: ['stop', 'kill'],
    group: 'Sessions',
    load: async () => (await sessionAct()).sessionStopCommand,
  },
  {
    name: 'session resume',
    aliases: ['session restore'],
    meantBy: ['resume', 'restore'],
    group: 'Sessions',
    load: async () => (await sessionNew()).sessionResumeCommand,
  },
  {
    name: 'session events',
    meantBy: ['events', 'logs', 'log'],
    group: 'History',
    load: async () => (await sessionHistory()).sessionEventsCommand,
  },
  { name: 'session history', group: 'History', load: async () => (await sessionHistory()).sessionHistoryCommand },
  { name: 'session usage', group: 'History', load: async () => (await sessionHistory()).sessionUsageCommand },
  { name: 'session hooks', group: 'History', load: async () => (await sessionHistory()).sessionHooksCommand },
  { name: 'session repair', group: 'History', load: async () => (await sessionAct()).sessionRepairCommand },
  { name: 'session health', group: 'Sessions', load: async () => (await sessionRead()).sessionHealthCommand },
  { name: 'session inspect', group: 'Sessions', load: async () => (await sessionRead()).sessionInspectCommand },
  { name: 'session wake', group: 'Sessions', load: async () => (await sessionAct()).sessionWakeCommand },
  { name: 'spawn', group: 'Sessions', load: async () => (await sessionNew()).spawnCommand },
  { name: 'task create', aliases: ['task new'], group: 'Tasks', load: async () => (await task()).taskCreateCommand },
  {
    name: 'task list',
    aliases: ['task ls'],
    meantBy: ['tasks'],
    group: 'Tasks',
    load: async () => (await task()).taskListCommand,
  },
  { name: 'task info', aliases: ['task show'], group: 'Tasks', load: async () => (await task()).taskInfoCommand },
  { name: 'task run', group: 'Tasks', load: async () => (await task()).taskRunCommand },
  { name: 'task remove', group: 'Tasks', load: async () => (await task()).taskRemoveCommand },
  { name: 'workspace add', group: 'Workspaces', load: async () => (await workspace()).workspaceAddCommand },
  {
    name: 'workspace list',
    aliases: ['workspace ls'],
    meantBy: ['workspaces'],
    group: 'Workspaces',
    load: async () => (await workspace()).workspaceListCommand,
  },
  {
    name: 'workspace info',
    aliases: ['workspace show'],
    group: 'Workspaces',
    load: async () => (await workspace()).workspaceInfoCommand,
  },
  { name: 'workspace remove', group: 'Workspaces', load: async () => (await workspace()).workspaceRemoveCommand },
  { name: '__complete', group: '', hidden: true, load: async () => (await completion()).completeCommand },
  { name: '__docs', group: '', hidden: true, load: async () => (await docs()).docsCommand },
]
