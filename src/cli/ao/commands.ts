// Every command of `ao`, in the order of help and documentation. A command's file is loaded only when it runs: loading all
// of them takes 185 ms of CPU, and starting Node itself 21.
import type { CommandTable } from '../command-table.ts'
// Loaded with the table: it is the one that scripts and people call all the time.
import { sessionLsCommand } from './session/ls.ts'

const START = 'Start work'
const LOOK = 'Look and talk'
const END = 'End and bring back'
const FORGE = 'Issues and pull requests'
const SET_UP = 'Set up'

export const COMMANDS: CommandTable = [
  { name: 'start', group: START, load: async () => (await import('./start/start.ts')).startCommand },
  { name: 'stop', group: START, load: async () => (await import('./start/stop.ts')).stopCommand },
  { name: 'dashboard', group: START, load: async () => (await import('./start/dashboard.ts')).dashboardCommand },
  { name: 'init', group: START, load: async () => (await import('./config/init.ts')).initCommand },
  { name: 'spawn', group: START, load: async () => (await import('./spawn/spawn.ts')).spawnCommand },
  { name: 'batch-spawn', group: START, load: async () => (await import('./spawn/batch-spawn.ts')).batchSpawnCommand },
  {
    name: 'orchestrator',
    group: START,
    load: async () => (await import('./spawn/orchestrator.ts')).orchestratorCommand,
  },
  { name: 'status', group: LOOK, load: async () => (await import('./report/status.ts')).statusCommand },
  { name: 'session ls', group: LOOK, load: async () => sessionLsCommand },
  { name: 'session show', group: LOOK, load: async () => (await import('./session/show.ts')).sessionShowCommand },
  { name: 'session diff', group: LOOK, load: async () => (await import('./session/diff.ts')).sessionDiffCommand },
  {
    name: 'session transcript',
    group: LOOK,
    load: async () => (await import('./session/transcript.ts')).sessionTranscriptCommand,
  },
  { name: 'session attach', group: LOOK, load: async () => (await import('./session/attach.ts')).sessionAttachCommand },
  {
    name: 'session approve',
    group: LOOK,
    load: async () => (await import('./session/approve.ts')).sessionApproveCommand,
  },
  {
    name: 'session deny',
    group: LOOK,
    load: async () => (await import('./session/approve.ts')).sessionDenyCommand,
  },
  { name: 'open', group: LOOK, load: async () => (await import('./open.ts')).openCommand },
  { name: 'events', group: LOOK, load: async () => (await import('./report/events.ts')).eventsCommand },
  { name: 'why', group: LOOK, load: async () => (await import('./report/why.ts')).whyCommand },
  { name: 'send', group: LOOK, load: async () => (await import('./spawn/send.ts')).sendCommand },
  { name: 'session kill', group: END, load: async () => (await import('./session/kill.ts')).sessionKillCommand },
  {
    name: 'session restore',
    group: END,
    load: async () => (await import('./session/restore.ts')).sessionRestoreCommand,
  },
  {
    name: 'session cleanup',
    group: END,
    load: async () => (await import('./session/cleanup.ts')).sessionCleanupCommand,
  },
  {
    name: 'session claim-pr',
    group: END,
    load: async () => (await import('./session/claim-pr.ts')).sessionClaimPrCommand,
  },
  { name: 'issue new', group: FORGE, load: async () => (await import('./issue/new.ts')).issueNewCommand },
  { name: 'issue ls', group: FORGE, load: async () => (await import('./issue/ls.ts')).issueLsCommand },
  { name: 'issue show', group: FORGE, load: async () => (await import('./issue/show.ts')).issueShowCommand },
  { name: 'issue edit', group: FORGE, load: async () => (await import('./issue/edit.ts')).issueEditCommand },
  { name: 'issue close', group: FORGE, load: async () => (await import('./issue/close.ts')).issueCloseCommand },
  { name: 'issue reopen', group: FORGE, load: async () => (await import('./issue/close.ts')).issueReopenCommand },
  { name: 'issue comment', group: FORGE, load: async () => (await import('./issue/comment.ts')).issueCommentCommand },
  { name: 'pr ls', group: FORGE, load: async () => (await import('./pr/ls.ts')).prLsCommand },
  { name: 'pr view', group: FORGE, load: async () => (await import('./pr/view.ts')).prViewCommand },
  { name: 'pr diff', group: FORGE, load: async () => (await import('./pr/diff.ts')).prDiffCommand },
  { name: 'pr checks', group: FORGE, load: async () => (await import('./pr/checks.ts')).prChecksCommand },
  { name: 'pr review', group: FORGE, load: async () => (await import('./pr/review.ts')).prReviewCommand },
  { name: 'pr comment', group: FORGE, load: async () => (await import('./pr/comment.ts')).prCommentCommand },
  { name: 'pr resolve', group: FORGE, load: async () => (await import('./pr/comment.ts')).prResolveCommand },
  { name: 'pr merge', group: FORGE, load: async () => (await import('./pr/merge.ts')).prMergeCommand },
  { name: 'pr close', group: FORGE, load: async () => (await import('./pr/close.ts')).prCloseCommand },
  { name: 'pr reopen', group: FORGE, load: async () => (await import('./pr/close.ts')).prReopenCommand },
  { name: 'config show', group: SET_UP, load: async () => (await import('./config/show.ts')).configShowCommand },
  { name: 'config schema', group: SET_UP, load: async () => (await import('./config/schema.ts')).configSchemaCommand },
  {
    name: 'config validate',
    group: SET_UP,
    load: async () => (await import('./config/validate.ts')).configValidateCommand,
  },
  { name: 'config relink', group: SET_UP, load: async () => (await import('./config/relink.ts')).configRelinkCommand },
  { name: 'config trust', group: SET_UP, load: async () => (await import('./config/trust.ts')).configTrustCommand },
  { name: 'plugin ls', group: SET_UP, load: async () => (await import('./config/plugin-ls.ts')).pluginLsCommand },
  { name: 'feedback ls', group: SET_UP, load: async () => (await import('./feedback/ls.ts')).feedbackLsCommand },
  { name: 'feedback new', group: SET_UP, load: async () => (await import('./feedback/new.ts')).feedbackNewCommand },
  { name: 'feedback show', group: SET_UP, load: async () => (await import('./feedback/show.ts')).feedbackShowCommand },
  { name: 'doctor', group: SET_UP, load: async () => (await import('./doctor/doctor.ts')).doctorCommand },
  { name: 'openapi', group: SET_UP, load: async () => (await import('./docs/openapi.ts')).openapiCommand },
  { name: 'mcp', group: SET_UP, load: async () => (await import('./mcp.ts')).mcpCommand },
  { name: 'completion', group: SET_UP, load: async () => (await import('./docs/completion.ts')).completionCommand },
  { name: 'gh', group: '', hidden: true, load: async () => (await import('./gh/gh-command.ts')).ghCommand },
  {
    name: '__complete',
    group: '',
    hidden: true,
    load: async () => (await import('./docs/complete.ts')).completeCommand,
  },
  { name: '__docs', group: '', hidden: true, load: async () => (await import('./docs/docs.ts')).docsCommand },
]
