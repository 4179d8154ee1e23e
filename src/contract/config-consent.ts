// What every key of agent-orchestrator.yaml may do before the user has consented to it. This is the only list. A key is
// either harmless or needs consent of a kind; what is not listed needs consent. A test compares it with the schema and with
// the options of every built-in plugin, key by key.
import { AGENT_TABLE } from './agents/agent-table.ts'
import type { SlotName } from './slot-names.ts'

export const CONSENT_KINDS = [
  /** Commands that prepare a worktree, and those that run before it is removed. */
  'postCreate',
  /** Code of an external plugin. */
  'plugin',
  /** What is started as an agent, and agents that never ask. */
  'agent-command',
  /** Commands that the local forge runs as CI. */
  'ci',
  /** Who can reach the dashboard. */
  'listen',
  /** Where something is sent, and with which secrets. */
  'send',
  /** Files and directories outside the repository. */
  'outside',
  /** Containers, machines and jobs that agents are started in. */
  'place',
  /** What ao does by itself, without a person: it starts agents, merges, signs with the user's key and pushes. */
  'automatic',
  /** Values of the user's environment, in a key that is otherwise harmless. */
  'environment',
  /** Files in the repository that its agents obey: hooks, MCP servers, settings. */
  'agent-files',
] as const
export type ConsentKind = (typeof CONSENT_KINDS)[number]

export type Verdict = 'harmless' | ConsentKind
/** `but`: values that are harmless all the same. */
export interface VerdictWithExceptions {
  verdict: ConsentKind
  but: ReadonlyArray<string | boolean>
}
/** A plugin with options: a name or `{ plugin, …options }` (choice), or `{ name, config: options }` (default). */
export interface OptionsRule {
  optionsOf: SlotName
  written: 'choice' | 'default'
}
export interface KeyRules {
  keys: Readonly<Record<string, Rule>>
  /** What is not among the keys: every project, every notifier. Without it: see `UNKNOWN`. */
  others?: Rule
}
export type Rule = Verdict | VerdictWithExceptions | OptionsRule | KeyRules

const agentConfig: Rule = {
  keys: {
    permissions: { verdict: 'agent-command', but: ['auto-edit', 'default', 'suggest'] },
    model: 'harmless',
    command: 'agent-command',
    acpCommand: 'agent-command',
    args: 'agent-command',
    env: 'agent-command',
  },
  others: 'agent-command',
}

const role: Rule = { keys: { agent: 'harmless', agentConfig } }

/** Denying only takes away; allowing can give an agent what ao would reserve. */
const environment: Rule = { keys: { allow: 'environment', deny: 'harmless' } }

const choiceOf = (slot: SlotName): OptionsRule => ({ optionsOf: slot, written: 'choice' })
const defaultOf = (slot: SlotName): OptionsRule => ({ optionsOf: slot, written: 'default' })

/** Text for agents and people, and numbers. What merges and what restarts agents is a matter of consent. */
const reaction: KeyRules = {
  keys: {
    auto: 'harmless',
    action: { verdict: 'automatic', but: ['send-to-agent', 'notify', 'off'] },
    message: 'harmless',
    priority: 'harmless',
    retries: 'harmless',
    escalateAfter: 'harmless',
    threshold: 'harmless',
  },
}

/** Merges unless something else is said: it only has to be switched on. */
const merging: KeyRules = { keys: { ...reaction.keys, auto: { verdict: 'automatic', but: [false] } } }

const reactions: Rule = { keys: { 'approved-and-green': merging }, others: reaction }

const budget: Rule = { keys: { session: 'harmless', day: 'harmless', action: 'harmless' } }

const project: Rule = {
  keys: {
    name: 'harmless',
    path: 'outside',
    repo: 'harmless',
    defaultBranch: 'harmless',
    sessionPrefix: 'harmless',
    runtime: 'harmless',
    // A place of the user's own; what a place is needs consent where it is written.
    place: 'harmless',
    agent: 'harmless',
    workspace: choiceOf('workspace'),
    tracker: choiceOf('tracker'),
    scm: choiceOf('scm'),
    terminal: 'harmless',
    agentConfig,
    environment,
    worker: role,
    orchestrator: role,
    fallback: 'agent-command',
    agentRules: 'harmless',
    agentRulesFile: 'outside',
    orchestratorRules: 'harmless',
    // Both are confined to the project where they are used, links resolved.
    symlinks: 'harmless',
    envFiles: 'harmless',
    postCreate: 'postCreate',
    preRemove: 'postCreate',
    postCreateTimeout: 'harmless',
    // Strangers could then talk to agents that run on this machine.
    forwardOutsiders: { verdict: 'agent-command', but: [false] },
    reactions,
    gates: 'ci',
    budget,
    landing: {
      keys: {
        mode: { verdict: 'automatic', but: ['off'] },
        batch: 'harmless',
        order: 'harmless',
        method: 'harmless',
        priority: 'harmless',
        // They decide what may land.
        checks: 'automatic',
        watch: { verdict: 'automatic', but: ['off', 'notify'] },
        sign: { verdict: 'automatic', but: [false] },
        pushProof: { verdict: 'automatic', but: [false] },
      },
    },
    backlog: { keys: { label: 'automatic', maxSessions: 'automatic' } },
  },
}

export const CONFIG_CONSENT: KeyRules = {
  keys: {
    $schema: 'harmless',
    port: 'harmless',
    dashboard: {
      keys: {
        host: { verdict: 'listen', but: ['127.0.0.1', '::1', 'localhost'] },
        token: 'listen',
        allowedHosts: 'listen',
        listen: 'listen',
        tls: { keys: { cert: 'listen', key: 'listen' } },
        url: 'listen',
      },
    },
    telemetry: { keys: { endpoint: 'send', headers: 'send' } },
    sessionPorts: { keys: { first: 'harmless', count: 'harmless' } },
    readyThresholdMs: 'harmless',
    lifecycle: { keys: { pollSeconds: 'harmless' } },
    defaults: {
      keys: {
        runtime: 'harmless',
        agent: 'harmless',
        workspace: 'harmless',
        notifiers: 'harmless',
        environment,
        worker: role,
        orchestrator: role,
        fallback: 'agent-command',
      },
    },
    plugins: {
      keys: {
        runtime: defaultOf('runtime'),
        agent: defaultOf('agent'),
        workspace: defaultOf('workspace'),
        tracker: defaultOf('tracker'),
        scm: defaultOf('scm'),
        notifier: defaultOf('notifier'),
        terminal: defaultOf('terminal'),
        external: 'plugin',
      },
    },
    places: {
      keys: {},
      others: { keys: { type: 'place', maxSessions: 'harmless', environment: 'environment' }, others: 'place' },
    },
    // Whose money is spent, and on whose behalf an agent acts: a repository names none of that by itself.
    accounts: { keys: {}, others: 'agent-command' },
    projects: { keys: {}, others: project },
    notifiers: { keys: {}, others: choiceOf('notifier') },
    webhooks: { keys: {}, others: { keys: { secret: 'listen' } } },
    notificationRouting: 'harmless',
    reactions,
    budget,
  },
}

type Options = Readonly<Record<string, Verdict>>

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
  workspace: { worktree: { worktreeDir: 'outside' }, clone: { cloneDir: 'outside' } },
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
    slack: { webhookUrl: 'send', channel: 'send', username: 'harmless' },
    discord: { webhookUrl: 'send', username: 'harmless' },
    ntfy: { topic: 'send', server: 'send', token: 'send' },
    webhook: { url: 'send', headers: 'send', secret: 'send' },
  },
  terminal: { attach: {}, web: { port: 'harmless' }, iterm2: {} },
}

/** Options of an unknown plugin may do anything that its slot does. */
export const UNKNOWN_OPTION: Readonly<Record<SlotName, ConsentKind>> = {
  runtime: 'agent-command',
  agent: 'agent-command',
  workspace: 'agent-command',
  tracker: 'send',
  scm: 'send',
  notifier: 'send',
  terminal: 'agent-command',
}

/** An unclassified key. */
export const UNKNOWN: ConsentKind = 'agent-command'
