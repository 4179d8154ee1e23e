// agent-orchestrator.yaml as a schema. Everything the file may say, with its defaults; nothing is read here.
// zod/mini keeps the command's start fast: the full zod costs more than the rest of the start-up together.
import * as z from 'zod/mini'
import { isSafeName } from './ids.ts'

const described = <T extends z.ZodMiniType>(schema: T, description: string): T =>
  schema.check(z.describe(description)) as T

const text = (about: string) => described(z.optional(z.string()), about)
const safeName = (what: string) =>
  z.string().check(z.refine(isSafeName, `${what} may hold letters, digits, - and _ only`))

export const PERMISSION_MODES = ['skip', 'auto-edit', 'default', 'suggest'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

const permissions = described(
  z.optional(z._default(z.enum([...PERMISSION_MODES, 'permissionless']), 'default')),
  'How often the agent asks: skip (never), auto-edit (not for edits), default (as the agent ships), suggest (always). permissionless is an old word for skip.',
)

export const agentConfigSchema = z.looseObject({
  permissions: z.optional(permissions),
  model: text('Model name handed to the agent'),
  command: described(
    z.optional(z.union([z.string(), z.array(z.string())])),
    'The command of the generic agent, or another path for a built-in one',
  ),
  args: described(z.optional(z.array(z.string())), 'Further arguments for the agent'),
  env: described(z.optional(z.record(z.string(), z.string())), 'Further environment of the agent'),
})
export type AgentConfig = z.infer<typeof agentConfigSchema>

const roleSchema = z.strictObject({
  agent: text('Agent plugin for this role'),
  agentConfig: z.optional(agentConfigSchema),
})

/** A slot chosen in a project: a plugin's name, or a name with options. */
const pluginChoice = z.union([z.string(), z.looseObject({ plugin: z.string() })])
export type PluginChoice = z.infer<typeof pluginChoice>

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
  'all-complete',
] as const

const reactionSchema = z.strictObject({
  auto: z.optional(z.boolean()),
  action: z.optional(z.enum(['send-to-agent', 'notify', 'auto-merge', 'restart-agent'])),
  message: z.optional(z.string()),
  priority: z.optional(z.enum(['urgent', 'action', 'warning', 'info'])),
  retries: z.optional(z.number()),
  escalateAfter: z.optional(z.union([z.number(), z.string()])),
  threshold: z.optional(z.string()),
})
const reactionsSchema = z.partialRecord(z.enum(REACTION_KEYS), reactionSchema)

export const projectSchema = z.strictObject({
  name: text('Name shown to people; the key by default'),
  path: described(z.string(), 'The git repository; ~ and paths relative to this file work'),
  repo: text('owner/name on the forge'),
  defaultBranch: described(z._default(z.string(), 'main'), 'Branch that new work starts from'),
  sessionPrefix: described(
    z.optional(safeName('sessionPrefix')),
    'Prefix of session ids; derived from the key by default',
  ),
  runtime: text('Runtime plugin for this project'),
  agent: text('Agent plugin for this project'),
  workspace: described(z.optional(pluginChoice), 'Workspace plugin for this project'),
  tracker: described(z.optional(pluginChoice), 'Where issues live'),
  scm: described(z.optional(pluginChoice), 'Where pull requests live'),
  terminal: text('Terminal plugin for this project'),
  agentConfig: z.optional(agentConfigSchema),
  worker: z.optional(roleSchema),
  orchestrator: z.optional(roleSchema),
  agentRules: text('Rules added to every prompt'),
  agentRulesFile: text('File with such rules, relative to the project'),
  orchestratorRules: text('Rules added to the orchestrator prompt'),
  symlinks: described(z.optional(z.array(z.string())), 'Paths of the project linked into every worktree'),
  envFiles: described(z.optional(z.array(z.string())), 'Files copied into every worktree, .env by default'),
  postCreate: described(z.optional(z.array(z.string())), 'Commands run in a new worktree'),
  postCreateTimeout: described(z.optional(z.number()), 'Seconds each of them may take; 300 by default'),
  reactions: z.optional(reactionsSchema),
})

const slotPlugin = z.strictObject({
  name: z.string(),
  config: z.optional(z.record(z.string(), z.unknown())),
})

const externalPlugin = z.strictObject({
  package: z.optional(z.string()),
  path: z.optional(z.string()),
  enabled: z.optional(z.boolean()),
  config: z.optional(z.record(z.string(), z.unknown())),
})
export type ExternalPlugin = z.infer<typeof externalPlugin>

export const SLOT_NAMES = ['runtime', 'agent', 'workspace', 'tracker', 'scm', 'notifier', 'terminal'] as const
export type SlotName = (typeof SLOT_NAMES)[number]

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
  notifiers: z.optional(z.array(z.string())),
  worker: z.optional(roleSchema),
  orchestrator: z.optional(roleSchema),
})

export const configSchema = z.strictObject({
  $schema: text('Where editors find this schema'),
  port: described(z._default(z.number(), 3000), "The dashboard's port"),
  readyThresholdMs: described(
    z._default(z.number().check(z.minimum(0)), 300_000),
    'Inactivity after which an agent is idle',
  ),
  defaults: z._default(defaultsSchema, {}),
  plugins: z._default(pluginsSchema, {}),
  projects: z.record(safeName('A project id'), projectSchema),
  notifiers: z.optional(z.record(z.string(), z.looseObject({ plugin: z.string() }))),
  notificationRouting: z.optional(z.record(z.string(), z.array(z.string()))),
  reactions: z.optional(reactionsSchema),
})

/** What the file says, with defaults filled in. */
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
}
