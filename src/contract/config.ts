// agent-orchestrator.yaml as a schema. Everything the file may contain, with its defaults; nothing is read here. zod/mini
// keeps the command's start fast: the full zod costs more than the rest of the start-up together.
import * as z from 'zod/mini'
import { AMOUNT, BUDGET_ACTIONS } from './money/budget.ts'
import { described, text, texts, wholeNumber } from './schema/described.ts'
import { gatesSchema } from './schema/gates.ts'
import { SLOT_NAMES, type SlotName } from './slot-names.ts'

/** A safe name (ids.ts) that also cannot be mistaken for an option when used as an argument. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/
const safeName = (what: string) =>
  z
    .string()
    .check(
      z.regex(NAME, `${what} may hold letters, digits, - and _ only, and does not begin with -`),
      z.maxLength(128, `${what} may have 128 characters at most`),
    )

const duration = z
  .string()
  .check(z.regex(/^[0-9]{1,9}[smh]$/, 'must be a duration: a whole number with s, m or h, such as 30m'))

export const PERMISSION_MODES = ['skip', 'auto-edit', 'default', 'suggest'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

const permissions = described(
  z.optional(
    z.pipe(
      z.enum([...PERMISSION_MODES, 'permissionless']),
      z.transform((word): PermissionMode => (word === 'permissionless' ? 'skip' : word)),
    ),
  ),
  'How often the agent asks: skip (never), auto-edit (not for edits), default (as the agent ships; so without this key), suggest (always). permissionless is an old word for skip.',
)

/** Loose: an agent plugin may have options of its own. No defaults here, or a role would hide its project's settings. */
export const agentConfigSchema = z.looseObject({
  permissions,
  model: described(
    z.optional(z.string().check(z.regex(/^(?!-)/, 'must not begin with -, or the agent would take it for an option'))),
    'Model name handed to the agent',
  ),
  command: described(
    z.optional(z.union([z.string(), z.array(z.string())], 'must be text or a list of texts')),
    'The command of the generic agent, or another path for a built-in one',
  ),
  acpCommand: described(
    z.optional(z.union([z.string(), z.array(z.string())], 'must be text or a list of texts')),
    "With runtime: acp, the command that speaks the Agent Client Protocol; without it the agent's usual one",
  ),
  args: texts('Further arguments for the agent'),
  env: described(z.optional(z.record(z.string(), z.string())), 'Further environment of the agent'),
})
export type AgentConfig = z.infer<typeof agentConfigSchema>

const environmentSchema = described(
  z.optional(
    z.strictObject({
      allow: texts('Only these, beside basic ones such as PATH, HOME and proxies; a name may end in *'),
      deny: texts('Never these; a name may end in *'),
    }),
  ),
  'Which of your variables agents get: all but the secrets that ao uses itself. Commands of postCreate and CI get the basic ones and those in allow.',
)

const roleSchema = z.strictObject({
  agent: text('Agent plugin for this role'),
  agentConfig: described(z.optional(agentConfigSchema), 'Settings of that agent, over those of the project'),
})
const workerRole = described(z.optional(roleSchema), 'What workers use instead')
const orchestratorRole = described(z.optional(roleSchema), 'What the orchestrator uses instead')

const accountSchema = z.strictObject({
  agent: text('Agent plugin; that of the project by default'),
  agentConfig: described(
    z.optional(agentConfigSchema),
    'Its settings: `env` selects the account, such as CLAUDE_CONFIG_DIR or CODEX_HOME (~/ is your home, secrets best as ${NAME}). Those of the project count too while the agent is the same',
  ),
})
export type AccountConfig = z.infer<typeof accountSchema>

const fallback = described(
  z.optional(
    z.array(z.string()).check(
      z.maxLength(10, 'may name 10 accounts at most'),
      z.refine((names) => new Set(names).size === names.length, 'names an account twice'),
    ),
  ),
  'Names of `accounts`: when a limit stops an agent for a while, its session continues with the first of them that is not limited itself',
)

/** A slot chosen in a project: a plugin's name, or a name with options. */
const pluginChoice = z.union(
  [z.string(), z.looseObject({ plugin: z.string() })],
  'must be the name of a plugin, or an object with `plugin` and its options',
)
export type PluginChoice = z.infer<typeof pluginChoice>

const amount = z.union(
  [
    z.number().check(z.positive('must be greater than 0')),
    z.string().check(z.regex(AMOUNT, 'must be an amount such as 5 USD')),
  ],
  'must be an amount such as 5 USD',
)

const budgetSchema = (day: string) =>
  described(
    z.optional(
      z.strictObject({
        session: described(z.optional(amount), 'What one session may cost, such as 5 USD'),
        day: described(z.optional(amount), day),
        action: described(
          z.optional(z.enum(BUDGET_ACTIONS)),
          'notify (by default); pause: its turn is stopped, in a terminal its agent is ended; stop: its agent is ended. Its work is kept',
        ),
      }),
    ),
    'How much money may be spent, and what happens then; as far as prices are known',
  )

export const REACTION_KEYS = [
  'ci-failed',
  'changes-requested',
  'bugbot-comments',
  'merge-conflicts',
  'approved-and-green',
  'agent-stuck',
  'agent-needs-input',
  'agent-exited',
  'agent-idle',
  'pr-closed',
  'landing-failed',
  'collision',
  'over-budget',
  'limit-reached',
  'limit-reset',
  'all-complete',
] as const

const reactionSchema = z.strictObject({
  auto: described(z.optional(z.boolean()), 'false: do nothing by itself'),
  action: described(
    z.optional(z.enum(['send-to-agent', 'notify', 'auto-merge', 'restart-agent', 'off'])),
    'off: neither the agent nor a person hears of it',
  ),
  message: text('What is sent to the agent or the person'),
  priority: z.optional(z.enum(['urgent', 'action', 'warning', 'info'])),
  retries: described(z.optional(wholeNumber(0)), 'How often it is tried before a person is notified'),
  escalateAfter: described(
    z.optional(z.union([wholeNumber(0), duration], 'must be a number of attempts, or a duration such as 30m')),
    'Attempts or time after which a person is notified',
  ),
  threshold: described(z.optional(duration), 'How long the state must last first'),
})
const reactionsSchema = described(
  z.partialRecord(z.enum(REACTION_KEYS), reactionSchema),
  'What happens by itself when a session needs something',
)

export const projectSchema = z.strictObject({
  name: text('Name shown to people; the key by default'),
  path: described(
    z.string().check(z.minLength(1, 'must not be empty')),
    'The git repository; ~ and paths relative to this file work',
  ),
  repo: text('owner/name on the forge'),
  defaultBranch: described(
    z._default(z.string().check(z.minLength(1, 'must not be empty')), 'main'),
    'Branch that new work starts from',
  ),
  sessionPrefix: described(
    z.optional(safeName('sessionPrefix')),
    'Prefix of session ids; derived from the key by default',
  ),
  runtime: text('Runtime plugin for this project'),
  place: described(
    z.optional(z.union([z.string(), z.array(z.string())], 'must be the name of a place or a list of them')),
    'Where its workers run: the first of these places that has room. Without it: on this machine',
  ),
  agent: text('Agent plugin for this project'),
  workspace: described(z.optional(pluginChoice), 'Workspace plugin for this project'),
  tracker: described(z.optional(pluginChoice), 'Where issues live'),
  scm: described(z.optional(pluginChoice), 'Where pull requests live'),
  terminal: text('Terminal plugin for this project'),
  agentConfig: described(z.optional(agentConfigSchema), 'Settings of the agent'),
  environment: environmentSchema,
  worker: workerRole,
  orchestrator: orchestratorRole,
  fallback,
  agentRules: text('Rules added to every prompt'),
  agentRulesFile: text('File with such rules, relative to the project'),
  orchestratorRules: text('Rules added to the orchestrator prompt'),
  symlinks: texts('Paths of the project linked into every worktree'),
  envFiles: texts('Files copied into every worktree, .env by default'),
  postCreate: texts('Commands run in a new worktree'),
  preRemove: texts('Commands run in a worktree before it is removed, after its work was saved'),
  postCreateTimeout: described(
    z.optional(z.number().check(z.positive('must be greater than 0'))),
    'Seconds each command of postCreate and preRemove may take; 300 by default',
  ),
  forwardOutsiders: described(
    z.optional(z.boolean()),
    'true: pass review comments of people outside the repository on to agents too',
  ),
  reactions: z.optional(reactionsSchema),
  gates: gatesSchema,
  budget: budgetSchema('What all sessions of this project may cost on one day'),
  landing: described(
    z.optional(
      z.strictObject({
        mode: described(
          z._default(z.enum(['off', 'train']), 'off'),
          'train: what is approved and green lands by itself, each tested with everything ahead of it',
        ),
        batch: described(z._default(wholeNumber(1, 16), 4), 'How many of them are tested at once'),
        order: described(
          z._default(z.enum(['safe', 'fifo']), 'safe'),
          'safe: as they came, but one that conflicts with several goes behind them; fifo: as they came',
        ),
        method: described(
          z.optional(z.enum(['merge', 'squash', 'rebase'])),
          'How they are merged; as the forge is set up by default',
        ),
        priority: texts('Labels of pull requests that go first'),
        checks: texts(
          'Names of the checks that have to pass on a car on GitHub, GitLab or Forgejo; by default all that passed on the pull request itself',
        ),
        watch: described(
          z.optional(z.enum(['off', 'notify', 'revert'])),
          'Checks on the base branch after every merge and push. notify: you and the agent whose work broke it are notified; revert: a pull request that reverts it is opened too, and boards first. off by default',
        ),
        pushProof: described(
          z.optional(z.boolean()),
          'true: push the proofs of what lands (refs/notes/ao/proof) to the remote. GitHub, GitLab and Forgejo; off by default',
        ),
        sign: described(
          z.optional(z.boolean()),
          'true: sign the proof of what lands with the ssh key that git signs with (user.signingkey)',
        ),
      }),
    ),
    'How approved work gets into the base branch; a person or a reaction merges without this key',
  ),
  backlog: described(
    z.optional(
      z.strictObject({
        label: described(
          z.string().check(z.minLength(1, 'must not be empty')),
          'Open issues with this label are picked up',
        ),
        maxSessions: described(wholeNumber(1, 100), 'While fewer sessions than this run'),
      }),
    ),
    'Issues that are started by themselves; none without this key',
  ),
})

/** Loose: an engine has options of its own, which its plugin checks. */
const placeSchema = z.looseObject({
  type: described(z.string(), 'The engine: docker, ssh, kubernetes or slurm'),
  maxSessions: described(z.optional(wholeNumber(1, 10_000)), 'It takes no more sessions than this at a time'),
  environment: texts(
    'Further variables of yours that agents there get; a name may end in *. Without it: the keys of models only',
  ),
})
export type PlaceConfig = z.infer<typeof placeSchema>

const options = described(z.optional(z.record(z.string(), z.unknown())), 'Options of the plugin')

const slotPlugin = z.strictObject({
  name: described(z.string(), 'The plugin that fills this slot where nothing else is said'),
  config: options,
})

const externalPlugin = z
  .strictObject({
    package: text('npm package, from ~/.ao/plugins or from node_modules beside this file'),
    path: text('File or directory; ~ and paths relative to this file work'),
    enabled: described(z.optional(z.boolean()), 'false: leave it out'),
    config: options,
  })
  .check(
    z.refine(
      (plugin) => (plugin.package === undefined) !== (plugin.path === undefined),
      'needs either `package` or `path`',
    ),
  )
export type ExternalPlugin = z.infer<typeof externalPlugin>

export type { SlotName }

const pluginsSchema = z.strictObject({
  ...(Object.fromEntries(SLOT_NAMES.map((slot) => [slot, z.optional(slotPlugin)])) as Record<
    SlotName,
    z.ZodMiniOptional<typeof slotPlugin>
  >),
  external: described(z.optional(z.array(externalPlugin)), 'Plugins from npm packages or local paths'),
})

const defaultsSchema = z.strictObject({
  runtime: text('tmux where it is installed, else process'),
  agent: text('Agent plugin used where nothing else is said'),
  workspace: text('worktree by default'),
  notifiers: texts('Notifiers used where nothing else is said'),
  environment: environmentSchema,
  worker: workerRole,
  orchestrator: orchestratorRole,
  fallback,
})

const lifecycleSchema = z.strictObject({
  pollSeconds: described(
    z._default(z.number().check(z.minimum(0.1), z.maximum(3600)), 30),
    'How often everything is looked at, the forge included; changes are noticed sooner by watching',
  ),
})

export const configSchema = z.strictObject({
  $schema: text('Where editors find this schema'),
  port: described(z._default(wholeNumber(0, 65_535), 3000), "The dashboard's port; 0: any that is free"),
  dashboard: described(
    z.optional(
      z.strictObject({
        host: text('Address to listen on, 127.0.0.1 by default; another one needs `token`'),
        token: text('Bearer token beside the one that ao keeps itself, best as ${NAME}; at least 16 characters'),
        allowedHosts: texts('Further names under which it is reached, as a browser shows them'),
        listen: text(
          'Listen there too, beside this machine: `tailscale`, or an address of a private network; any other address needs `tls`',
        ),
        tls: described(
          z.optional(
            z.strictObject({
              cert: described(z.string(), 'File with the certificate and what leads to its authority, as PEM'),
              key: described(z.string(), 'File with its key'),
            }),
          ),
          'Encrypts what comes to the address of `listen`',
        ),
        url: text(
          'Its address as your phone sees it, such as https://ao.example.ts.net: notifications link to it and can be answered by link',
        ),
      }),
    ),
    'Who can reach the dashboard; only this machine without this key',
  ),
  sessionPorts: described(
    z.optional(
      z.strictObject({
        first: described(z.optional(wholeNumber(1024, 65_000)), 'First port that is given away; 21000 by default'),
        count: described(z.optional(wholeNumber(0, 100)), 'How many each session gets; 10 by default, 0: none'),
      }),
    ),
    'Ports of a session for its servers and tests: `AO_SESSION_PORT`, `AO_SESSION_PORT_1` and so on, different in every session',
  ),
  readyThresholdMs: described(z._default(wholeNumber(0), 300_000), 'Inactivity after which an agent is idle'),
  lifecycle: described(z.optional(lifecycleSchema), 'The loop that `ao start` runs'),
  defaults: described(z._default(defaultsSchema, {}), 'What a project uses when it says nothing'),
  plugins: described(z._default(pluginsSchema, {}), 'Plugins per slot with their options, and external ones'),
  places: described(
    z.optional(z.record(safeName('A place'), placeSchema)),
    'Where agents can run besides this machine, by name (docs/places.md)',
  ),
  accounts: described(
    z.optional(z.record(safeName('An account'), accountSchema)),
    'Further accounts and agents that `fallback` may name, by name',
  ),
  projects: described(z.record(safeName('A project id'), projectSchema), 'The repositories, by id'),
  notifiers: described(
    z.optional(z.record(z.string(), z.looseObject({ plugin: z.string() }))),
    'Ways to notify a person, by name',
  ),
  webhooks: described(
    z.optional(
      z.record(
        z.string(),
        z.strictObject({
          secret: described(z.string(), 'The secret shared with the forge, best as ${NAME}'),
        }),
      ),
    ),
    'By scm plugin: `ao start` listens on POST /api/webhooks/<plugin> and looks at once when the forge says so',
  ),
  notificationRouting: described(
    z.optional(z.record(z.string(), z.array(z.string()))),
    'Which notifiers get which priority',
  ),
  telemetry: described(
    z.optional(
      z.strictObject({
        endpoint: described(
          z
            .string()
            .check(
              z.regex(
                /^https?:\/\/[^\s/@?#]+(?:\/[^\s@?#]*)?$/,
                'an http or https address without a user, query or fragment',
              ),
            ),
          'Where a collector takes OTLP over HTTP, such as http://localhost:4318; /v1/traces is added',
        ),
        headers: described(
          z.optional(z.record(z.string(), z.string())),
          'Sent along, such as `authorization`; secrets best as ${NAME}',
        ),
      }),
    ),
    'Traces for OpenTelemetry (docs/observability.md); nothing is sent without this key',
  ),
  reactions: z.optional(reactionsSchema),
  budget: budgetSchema('What all projects of this file together may cost on one day'),
})

/** The content of the file, with defaults filled in. */
export type ConfigFile = z.infer<typeof configSchema>
export type ProjectFile = z.infer<typeof projectSchema>

/** A project with everything resolved: absolute path, prefix, its own key. */
export interface ProjectConfig extends Omit<ProjectFile, 'path' | 'sessionPrefix' | 'name'> {
  id: string
  name: string
  path: string
  sessionPrefix: string
}

/** The configuration that the library works with. */
export interface OrchestratorConfig extends Omit<ConfigFile, 'projects' | 'defaults'> {
  /** Absolute real path of the file; its directory gives the storage hash. */
  configPath: string
  defaults: ConfigFile['defaults'] & { runtime: string; agent: string; workspace: string }
  projects: Record<string, ProjectConfig>
  /** The files' literal text, `${ENV}` not replaced: what is shown to people and what consent is bound to. */
  source?: ConfigFile
  /** The part of `source` that the repository's file contributes: consent is asked for this. Absent: all of it. */
  asks?: ConfigFile | undefined
}
