// Every command of `ao`, in the order of help and documentation. A command's file is loaded only when it runs.
import type { CommandTable } from '../command-table.ts'

const START = 'Start work'
const LOOK = 'Look and talk'
const END = 'End and bring back'
const SET_UP = 'Set up'

export const COMMANDS: CommandTable = [
  { name: 'init', group: START, load: async () => (await import('./init.ts')).initCommand },
  { name: 'spawn', group: START, load: async () => (await import('./spawn.ts')).spawnCommand },
  { name: 'batch-spawn', group: START, load: async () => (await import('./batch-spawn.ts')).batchSpawnCommand },
  { name: 'orchestrator', group: START, load: async () => (await import('./orchestrator.ts')).orchestratorCommand },
  { name: 'status', group: LOOK, load: async () => (await import('./status.ts')).statusCommand },
  { name: 'session ls', group: LOOK, load: async () => (await import('./session-ls.ts')).sessionLsCommand },
  { name: 'session show', group: LOOK, load: async () => (await import('./session-show.ts')).sessionShowCommand },
  { name: 'session attach', group: LOOK, load: async () => (await import('./session-attach.ts')).sessionAttachCommand },
  { name: 'open', group: LOOK, load: async () => (await import('./open.ts')).openCommand },
  { name: 'send', group: LOOK, load: async () => (await import('./send.ts')).sendCommand },
  { name: 'session kill', group: END, load: async () => (await import('./session-kill.ts')).sessionKillCommand },
  {
    name: 'session restore',
    group: END,
    load: async () => (await import('./session-restore.ts')).sessionRestoreCommand,
  },
  {
    name: 'session cleanup',
    group: END,
    load: async () => (await import('./session-cleanup.ts')).sessionCleanupCommand,
  },
  {
    name: 'session claim-pr',
    group: END,
    load: async () => (await import('./session-claim-pr.ts')).sessionClaimPrCommand,
  },
  { name: 'config show', group: SET_UP, load: async () => (await import('./config-show.ts')).configShowCommand },
  { name: 'config schema', group: SET_UP, load: async () => (await import('./config-schema.ts')).configSchemaCommand },
  {
    name: 'config validate',
    group: SET_UP,
    load: async () => (await import('./config-validate.ts')).configValidateCommand,
  },
  { name: 'config trust', group: SET_UP, load: async () => (await import('./config-trust.ts')).configTrustCommand },
  { name: 'plugin ls', group: SET_UP, load: async () => (await import('./plugin-ls.ts')).pluginLsCommand },
  { name: 'feedback ls', group: SET_UP, load: async () => (await import('./feedback-ls.ts')).feedbackLsCommand },
  { name: 'feedback show', group: SET_UP, load: async () => (await import('./feedback-show.ts')).feedbackShowCommand },
  { name: 'doctor', group: SET_UP, load: async () => (await import('./doctor.ts')).doctorCommand },
  { name: 'mcp', group: SET_UP, load: async () => (await import('./mcp.ts')).mcpCommand },
  { name: 'completion', group: SET_UP, load: async () => (await import('./completion.ts')).completionCommand },
  { name: '__complete', group: '', hidden: true, load: async () => (await import('./complete.ts')).completeCommand },
  { name: '__docs', group: '', hidden: true, load: async () => (await import('./docs.ts')).docsCommand },
]
