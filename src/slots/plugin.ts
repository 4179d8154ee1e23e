// What a plugin is: a manifest, optional options, and a function that creates the slot's implementation.
import type { SlotName } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Agent } from './agent.ts'
import type { SessionPlace } from './far-checkout.ts'
import type { Notifier } from './notifier.ts'
import type { PlaceEngine } from './place.ts'
import type { Runtime } from './runtime.ts'
import type { Scm } from './scm.ts'
import type { Terminal } from './terminal.ts'
import type { Tracker } from './tracker.ts'
import type { Workspace } from './workspace.ts'

export interface SlotMap {
  runtime: Runtime
  agent: Agent
  workspace: Workspace
  tracker: Tracker
  scm: Scm
  notifier: Notifier
  terminal: Terminal
}

/** Everything a plugin gets from us. Nothing of the manager is in it. */
export interface PluginContext {
  /** Where ao keeps its files: the user's home or AO_HOME. Files of other programs are in `env.HOME`. */
  home: string
  env: NodeJS.ProcessEnv
  log: Log
  /** Directory of agent-orchestrator.yaml, for relative paths in options. */
  configDir: string
  /** `~/.agent-orchestrator` or its override: where ao keeps its data. */
  dataDir: string
  /** The place (`places` in the configuration) that the plugin is created for. */
  place?: PlaceChoice | undefined
  /** The configuration whose external plugin this is. Absent: it ships with ao. */
  externalOf?: string | undefined
  /** The dashboard's port by the configuration, for addresses that a person can open. */
  port?: number
  /** The address at which this configuration's pages are now; undefined: no dashboard is running. */
  page?: (() => string | undefined) | undefined
  /** Where the agent of this session runs. Absent: on this machine. */
  sessionPlace?: ((projectId: string, sessionId: string) => Promise<SessionPlace>) | undefined
  /**
   * Throws CONFIG_UNTRUSTED when the user has not consented to what the project would run. Absent: consent is not possible.
   */
  requireTrust?(kind: 'ci', projectId: string): void
}

/** What an engine of places gets: it is created in every process that reaches one of its places. */
export type EngineContext = Pick<PluginContext, 'home' | 'env' | 'log' | 'configDir' | 'place'>

export interface PlaceChoice {
  name: string
  environment?: readonly string[] | undefined
  /** Where it gets commits. Absent: from home. */
  cloneFrom?: 'home' | 'remote' | undefined
  /** Untracked files that come home. Absent: the default. */
  maxUntrackedMb?: number | undefined
  /** Its agents are spoken to over the Agent Client Protocol instead of in a terminal. */
  overProtocol: boolean
}

export interface PluginManifest<S extends SlotName = SlotName> {
  slot: S
  name: string
  description: string
  /** Required for an external plugin; what ships with ao has ao's version. */
  version?: string | undefined
}

export interface Plugin<S extends SlotName = SlotName> {
  manifest: PluginManifest<S>
  /** The schema of its configuration; absent when the plugin validates its options itself. */
  options?: OptionsSchema<unknown> | undefined
  /** `options` is this plugin's configuration; unknown keys must be refused with an error. */
  create(options: Record<string, unknown>, context: PluginContext): SlotMap[S]
  /** Of a runtime that runs agents in places (`definePlaceEngine`): its engine alone, for the process that keeps the connection. */
  engine?(options: Record<string, unknown>, context: EngineContext): PlaceEngine
  /** Can it work on this machine? Used by `ao init` and `ao doctor`; must be fast and must not throw. */
  detect?(context: PluginContext): Promise<Detected>
}

export interface Detected {
  ok: boolean
  detail: string
  fix?: string | undefined
  /** The service did not answer in time: slow is not broken. */
  timedOut?: boolean | undefined
}

/** The part of a zod schema that is needed, so that any version of it will do. */
export interface OptionsSchema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly OptionIssue[] } }
  /** By option; only for naming them in an error. */
  shape?: Record<string, unknown>
}

/** For a plugin without options. Not zod's: slots are loaded by every command. */
export const NO_OPTIONS: OptionsSchema<Record<string, never>> = {
  safeParse: (value) => {
    const keys = Object.keys(value as object)
    if (keys.length === 0) return { success: true, data: {} }
    return { success: false, error: { issues: [{ code: 'unrecognized_keys', message: '', path: [], keys }] } }
  },
}

interface OptionIssue {
  message: string
  path: readonly PropertyKey[]
  code?: string
  /** The wanted type. */
  expected?: string
  keys?: readonly string[]
}

export interface PluginDefinition<S extends SlotName, T> extends Omit<Plugin<S>, 'create' | 'options'> {
  options?: OptionsSchema<T>
  create(options: T, context: PluginContext): SlotMap[S]
}

/** With `options`, the schema validates the configuration before `create` gets it, typed. */
export function definePlugin<S extends SlotName, T = Record<string, unknown>>(
  definition: PluginDefinition<S, T>,
): Plugin<S> {
  const { options: schema, manifest, create } = definition
  if (schema === undefined) return definition as Plugin<S>
  return { ...definition, create: (given, context) => create(parseOptions(manifest, schema, given), context) }
}

export function parseOptions<T>({ slot, name }: PluginManifest, schema: OptionsSchema<T>, given: unknown): T {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) =>
    `${issue.path.map(String).join('.')} ${describe(issue, schema, given)}`.trim(),
  )
  throw new AoError('CONFIG_INVALID', `Options of the ${slot} plugin ${name}: ${problems.join('; ')}`, {
    details: { plugin: name, slot },
  })
}

/** What is wrong with the options of a plugin, each with the option that it is about. */
export function findOptionProblems(
  { options: schema }: Pick<Plugin, 'options'>,
  given: unknown,
): Array<{ path: string[]; message: string }> {
  const parsed = schema?.safeParse(given)
  if (parsed === undefined || parsed.success) return []
  return parsed.error.issues.map((issue) => ({
    path: issue.path.map(String),
    message: describe(issue, schema!, given),
  }))
}

function describe(issue: OptionIssue, schema: OptionsSchema<unknown>, given: unknown): string {
  if (issue.code === 'unrecognized_keys') {
    const keys = Object.keys(issue.path.length === 0 ? (schema.shape ?? {}) : {})
    const hint = keys.length > 0 ? ` (there are: ${keys.join(', ')})` : ''
    return `${issue.path.length === 0 ? 'it ' : ''}has no option ${issue.keys?.join(', ')}${hint}`
  }
  // With and without its locale files zod's own message is of no use to people.
  return issue.message.startsWith('Invalid input') ? describeType(issue, schema, given) : issue.message
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

function describeType({ path, expected }: OptionIssue, schema: OptionsSchema<unknown>, given: unknown): string {
  const value = path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], given)
  const type = Object.hasOwn(TYPE_NAMES, expected ?? '') ? TYPE_NAMES[expected!] : undefined
  if (value === undefined) return type === undefined ? 'is missing' : `is missing; it must be ${type}`
  if (type === undefined) return 'has the wrong type'
  return `must be ${type}${expected === 'object' ? exampleOf(schema.shape?.[String(path[0])], path.length) : ''}`
}

/** The part of zod's description of a schema that an example is made of. */
interface Described {
  _zod?: { def?: { type?: string; innerType?: Described; shape?: Record<string, Described> } }
}

/** What such an object looks like, by its first keys that must be there; only for an option itself. */
function exampleOf(schema: unknown, depth: number): string {
  let def = (schema as Described | undefined)?._zod?.def
  while (def?.innerType !== undefined) def = def.innerType._zod?.def
  const keys = Object.entries(def?.shape ?? {}).filter(([, one]) => {
    const type = one._zod?.def?.type
    return type !== 'optional' && type !== 'default'
  })
  if (depth !== 1 || keys.length === 0) return ''
  const parts = keys.map(([key, one]) => `${key}: ${one._zod?.def?.type === 'array' ? '[...]' : '...'}`)
  return `, for example { ${parts.join(', ')} }`
}
