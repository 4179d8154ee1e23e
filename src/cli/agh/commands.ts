// Every `agh` command: what has to be known before one is loaded.
import type { CommandTable } from '../command.ts'
import { group } from '../command-table.ts'
import type { Program } from '../run.ts'

/** The entry loads this file alone. */
export { runProgram } from '../run.ts'

export const COMMANDS: CommandTable = [
  ...group('Setup', [
    ['install', () => import('./install.ts')],
    ['agent list', () => import('./agent.ts'), { aliases: ['agent ls'], meantBy: ['agents'] }],
    ['agent info', () => import('./agent.ts'), { aliases: ['agent show'] }],
    ['doctor', () => import('./doctor.ts')],
    ['completion', () => import('./completion.ts')],
    ['version', async () => ({ command: (await import('../about/version.ts')).versionCommandOf('agh') })],
    ['openapi', () => import('./docs.ts')],
  ]),
  ...group('Daemon', [
    ['daemon start', () => import('./daemon.ts'), { meantBy: ['start'] }],
    ['daemon restart', () => import('./daemon.ts')],
    ['daemon stop', () => import('./daemon.ts')],
    ['daemon status', () => import('./daemon.ts')],
    ['observe health', () => import('./daemon.ts')],
  ]),
  ...group('Sessions', [
    ['run', () => import('./prompt/run-command.ts')],
    ['acp', () => import('./acp/acp-command.ts'), { meantBy: ['editor', 'serve'] }],
    ['session new', () => import('./session-new.ts'), { meantBy: ['new', 'create'] }],
    [
      'session list',
      () => import('./session-read.ts'),
      { aliases: ['session ls'], meantBy: ['ls', 'list', 'ps', 'sessions'] },
    ],
    [
      'session status',
      () => import('./session-read.ts'),
      { aliases: ['session show', 'session info'], meantBy: ['status', 'show'] },
    ],
    [
      'session prompt',
      () => import('./prompt/prompt-command.ts'),
      { aliases: ['session send'], meantBy: ['prompt', 'send'] },
    ],
    ['session queue', () => import('./prompt/queue-command.ts'), { meantBy: ['queue'] }],
    ['session retry', () => import('./prompt/queue-command.ts'), { meantBy: ['retry'] }],
    ['session cancel', () => import('./session-act.ts')],
    ['session attach', () => import('./attach/attach-command.ts'), { meantBy: ['attach'] }],
    ['session approve', () => import('./session-act.ts'), { meantBy: ['approve', 'deny'] }],
    ['session rules', () => import('./prompt/rules-command.ts'), { meantBy: ['rules'] }],
    ['session wait', () => import('./session-read.ts')],
    ['session set', () => import('./session-new.ts')],
    ['session stop', () => import('./session-act.ts'), { aliases: ['session kill'], meantBy: ['stop', 'kill'] }],
    [
      'session resume',
      () => import('./session-new.ts'),
      { aliases: ['session restore'], meantBy: ['resume', 'restore'] },
    ],
    ['session fork', () => import('./session-conversation.ts'), { meantBy: ['fork'] }],
    ['session close', () => import('./session-conversation.ts'), { meantBy: ['close'] }],
    ['session delete', () => import('./session-conversation.ts'), { meantBy: ['delete', 'rm'] }],
    ['session conversations', () => import('./session-conversation.ts'), { meantBy: ['conversations'] }],
    ['session health', () => import('./session-read.ts')],
    ['session inspect', () => import('./session-read.ts')],
    ['session wake', () => import('./session-act.ts')],
    ['spawn', () => import('./session-new.ts')],
  ]),
  ...group('History', [
    ['session events', () => import('./session-history.ts'), { meantBy: ['events', 'logs', 'log'] }],
    ['session history', () => import('./session-history.ts')],
    ['session usage', () => import('./session-history.ts')],
    ['session hooks', () => import('./session-history.ts')],
    ['session repair', () => import('./session-act.ts')],
    ['session trim', () => import('./session-act.ts')],
  ]),
  ...group('Tasks', [
    ['task create', () => import('./task.ts'), { aliases: ['task new'] }],
    ['task list', () => import('./task.ts'), { aliases: ['task ls'], meantBy: ['tasks'] }],
    ['task info', () => import('./task.ts'), { aliases: ['task show'] }],
    ['task run', () => import('./task.ts')],
    ['task remove', () => import('./task.ts')],
  ]),
  ...group('Workspaces', [
    ['workspace add', () => import('./workspace.ts')],
    ['workspace list', () => import('./workspace.ts'), { aliases: ['workspace ls'], meantBy: ['workspaces'] }],
    ['workspace info', () => import('./workspace.ts'), { aliases: ['workspace show'] }],
    ['workspace remove', () => import('./workspace.ts')],
  ]),
  ...group('', [
    ['__complete', () => import('./completion.ts'), { hidden: true }],
    ['__docs', () => import('./docs.ts'), { hidden: true }],
  ]),
]

export const PROGRAM: Program = {
  table: COMMANDS,
  overview: {
    program: 'agh',
    about:
      'agh runs ACP agents as durable sessions: every event is kept, and a session survives its agent and its daemon.',
    firstSteps: 'agh install, then agh session new, then agh session prompt <session> "…".',
  },
}
