// The options of the built-in plugins: whether each needs consent, and which are secret. Separate from the plugins, because
// this is decided before a plugin is loaded; a test compares it with the options that they take.
import { AGENT_TABLE } from '../agents/agent-table.ts'
import type { SlotName } from '../ids.ts'
import type { ConsentKind, Verdict } from './consent.ts'

export type Option = Verdict | { secret: ConsentKind }
type Options = Readonly<Record<string, Option>>

/** Whoever has it can write there in the user's name. */
const SECRET = { secret: 'send' } as const
const http: Options = { rateShare: 'harmless', timeoutSeconds: 'harmless' }
/** Whatever answers at this address gets the user's token. */
const api: Options = { ...http, host: 'send', apiUrl: 'send' }
const prices: Options = { prices: 'harmless' }
const grace: Options = { graceMs: 'harmless' }

const container: Options = {
  ...grace,
  ...{ image: 'place', command: 'place', context: 'place', host: 'place', mounts: 'place', user: 'place' },
  ...{ cpus: 'harmless', memory: 'harmless', network: 'place', modelHosts: 'place' },
  ...{ pids: 'place', capDrop: 'place', capAdd: 'place', noNewPrivileges: 'place' },
}

const machine: Options = {
  ...grace,
  ...{ host: 'place', port: 'place', user: 'place', identityFile: 'place', configFile: 'place' },
}

const pod: Options = {
  ...grace,
  ...{
    context: 'place',
    namespace: 'place',
    kubeconfig: 'place',
    image: 'place',
    template: 'place',
    sandboxTemplate: 'place',
    sandboxPool: 'place',
  },
  ...{ cpus: 'harmless', memory: 'harmless', startSeconds: 'harmless' },
}

const job: Options = {
  ...grace,
  ...{ partition: 'place', account: 'place', qos: 'place', reservation: 'place', sbatch: 'place', directory: 'place' },
  ...{ time: 'harmless', gres: 'place', cpus: 'harmless', memory: 'harmless', constraint: 'place' },
  queueSeconds: 'harmless',
}

const ofTable: Readonly<Record<string, Options>> = Object.fromEntries(
  AGENT_TABLE.flatMap(({ name, terminal }) => (terminal === 'own' ? [] : [[name, prices]])),
)

export const PLUGIN_OPTIONS: Readonly<Record<SlotName, Readonly<Record<string, Options>>>> = {
  runtime: {
    // Agents would run among the user's own sessions.
    tmux: { ...grace, socket: 'place' },
    process: grace,
    acp: grace,
    docker: container,
    ssh: machine,
    kubernetes: pod,
    slurm: job,
  },
  agent: {
    'claude-code': prices,
    codex: prices,
    gemini: prices,
    opencode: prices,
    aider: {},
    ...ofTable,
    demo: {},
    generic: {
      command: 'agent-command',
      args: 'agent-command',
      dialogs: 'agent-command',
      working: 'harmless',
      ready: 'harmless',
    },
  },
  workspace: { worktree: { worktreeDir: 'outside' }, clone: { cloneDir: 'outside' }, 'read-only': {}, existing: {} },
  tracker: {
    github: api,
    gitlab: api,
    forgejo: api,
    linear: { ...http, apiUrl: 'send', teamId: 'harmless', workspaceSlug: 'harmless' },
    jira: { ...http, site: 'send', project: 'harmless', issueType: 'harmless' },
    local: {},
  },
  scm: {
    github: { ...api, mergeMethod: 'harmless' },
    gitlab: { ...api, mergeMethod: 'harmless' },
    forgejo: { ...api, mergeMethod: 'harmless' },
    local: { ci: 'ci', merge: 'harmless' },
  },
  notifier: {
    desktop: { sound: 'harmless' },
    slack: { webhookUrl: SECRET, channel: 'send', username: 'harmless' },
    discord: { webhookUrl: SECRET, username: 'harmless' },
    ntfy: { topic: 'send', server: 'send', token: SECRET },
    webhook: { url: SECRET, headers: SECRET, secret: SECRET },
  },
  terminal: { attach: {}, web: { port: 'harmless' }, iterm2: {} },
}
