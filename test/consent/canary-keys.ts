// Every key that a configuration can have, found in the schema and in the options of the built-in plugins, each with values
// that would run a program, reach a host or read a file if anything acted on them.
import * as z from 'zod/mini'
import { configSchema } from '../../src/contract/config/schema.ts'
import type { SlotName } from '../../src/contract/ids.ts'
import { BUILTIN_PLUGINS } from '../../src/plugins/builtin.ts'
import { THOROUGH } from '../support/cover.ts'
import type { CanaryWorld } from './canary-world.ts'

type Def = z.core.$ZodTypes['_zod']['def']
type Content = Record<string, unknown>
const defOf = (schema: unknown): Def => (schema as z.core.$ZodTypes)._zod.def

export interface KeyCanary {
  /** For people. */
  key: string
  path: string[]
  /** The whole file: nothing but this key and what has to be beside it. */
  file: Content
}

/** The first ones do most. */
const MOST_VALUES = 4

/** What the repository's file is without any canary. */
const BASE: Content = {
  port: 0,
  defaults: { agent: 'demo', runtime: 'process' },
  projects: { app: { path: '.', tracker: 'local', scm: 'local' } },
}

/** An engine without these is refused before it does anything. */
const ENGINE_OPTIONS: Readonly<Record<string, Content>> = {
  docker: { image: 'x' },
  kubernetes: { image: 'x' },
  ssh: { host: '127.0.0.1' },
}

/** Keys that name something of the same file: their value, and what they name. */
const NAMING: Readonly<Record<string, { value: unknown; path: string[]; named: unknown }>> = {
  fallback: { value: ['one'], path: ['accounts', 'one'], named: { agent: 'demo' } },
  place: { value: 'far', path: ['places', 'far'], named: { type: 'docker', image: 'x' } },
}

const ENTRY: Readonly<Record<string, string>> = { projects: 'app', places: 'far', webhooks: 'github' }

/** Beside a key, where the schema requires it. */
const BESIDE: Readonly<Record<string, unknown>> = {
  type: 'docker',
  plugin: 'webhook',
  path: '.',
  name: 'docker',
  label: 'ready',
  when: '* * * * *',
  key: 'X',
}

/** A file for every key and value that the loader takes. A key without any is an error: it needs a value of its own. */
export async function keyCanaries(world: CanaryWorld): Promise<KeyCanary[]> {
  const keys = [...schemaKeys(configSchema, []), ...(await optionKeys())]
  return keys.flatMap(({ path, schema, around, plugin }) => {
    const key = [path.join('.'), ...(plugin === undefined ? [] : [plugin])].join(' of ')
    const naming = NAMING[path.at(-1) ?? '']
    if (naming) {
      const file = withValue(withValue(around, naming.path, naming.named), path, naming.value)
      return [{ key, path, file }]
    }
    const files = candidates(schema, world).map((value) => ({ key, path, file: withValue(around, path, value) }))
    const valid = files.filter(({ file }) => configSchema.safeParse(file).success)
    if (valid.length === 0) throw new Error(`no value for ${key} is valid: add one to canary-keys.ts`)
    return THOROUGH ? valid : valid.slice(0, MOST_VALUES)
  })
}

interface Key {
  path: string[]
  /** Whose option it is. */
  plugin?: string
  schema: unknown
  around: Content
}

function schemaKeys(schema: unknown, path: string[], around: Content = BASE): Key[] {
  const def = defOf(schema)
  switch (def.type) {
    case 'optional':
    case 'default':
      return schemaKeys(def.innerType, path, around)
    case 'record':
      return entryNames(def, path).flatMap((name) => schemaKeys(def.valueType, [...path, name], around))
    case 'object': {
      const filled = Object.entries(def.shape).reduce((file, [key, inner]) => {
        const at = [...path, key]
        const isRequired = !['optional', 'default'].includes(defOf(inner).type)
        return isRequired && !hasValue(file, at) ? withValue(file, at, BESIDE[key] ?? sampleOf(inner)) : file
      }, around)
      return Object.entries(def.shape).flatMap(([key, inner]) => schemaKeys(inner, [...path, key], filled))
    }
    default:
      return [{ path, schema, around }]
  }
}

function entryNames(def: Extract<Def, { type: 'record' }>, path: string[]): string[] {
  const keys = defOf(def.keyType)
  // All rules of one record are alike; the first one that merges is its own.
  if (keys.type === 'enum') {
    const names = Object.values(keys.entries).map(String)
    return THOROUGH ? names : names.filter((name) => ['approved-and-green', 'agent-stuck'].includes(name))
  }
  return [ENTRY[path.at(-1) ?? ''] ?? 'one']
}

/** The options of every plugin, where the plugin is the one that every project uses. */
async function optionKeys(): Promise<Key[]> {
  const found = await Promise.all(
    BUILTIN_PLUGINS.map(async ({ slot, name, load }) => {
      const { plugin } = await load()
      const around = choosing(slot, name)
      const shape = (plugin.options?.shape ?? {}) as Content
      const isZod = (schema: unknown) => typeof schema === 'object' && schema !== null && '_zod' in schema
      return Object.entries(shape).map(([option, schema]) => ({
        path: ['plugins', slot, 'config', option],
        plugin: name,
        schema: isZod(schema) ? schema : z.unknown(),
        around,
      }))
    }),
  )
  return found.flat()
}

function choosing(slot: SlotName, name: string): Content {
  const file = withValue(BASE, ['plugins', slot], { name, config: ENGINE_OPTIONS[name] ?? {} })
  if (slot === 'tracker' || slot === 'scm') return withValue(file, ['projects', 'app', slot], name)
  if (slot === 'notifier') return withValue(file, ['defaults', 'notifiers'], [name])
  if (slot === 'terminal') return withValue(file, ['projects', 'app', 'terminal'], name)
  return withValue(file, ['defaults', slot], name)
}

/** Texts first that do something. */
function candidates(schema: unknown, world: CanaryWorld): unknown[] {
  const { program, port } = world
  const url = `http://127.0.0.1:${port}/x`
  const texts = [program, url, `127.0.0.1:${port}`, 'ssh.conf', 'kube.json', 'evil.mjs', '${SECRET}', `$(${program})`]
  const odd = ['5 USD', '30m', '* * * * *', 'UTC', 'demo', 'local', 'far', 'one', 'x', 'X']
  const def = defOf(schema)
  switch (def.type) {
    case 'optional':
    case 'default':
      return candidates(def.innerType, world)
    case 'pipe':
      return candidates(def.in, world)
    case 'boolean':
      return [true, false]
    case 'number':
      return [port, 1, 2, 50, 30_000]
    case 'enum':
      return Object.values(def.entries)
    case 'array':
      return [...candidates(def.element, world).map((one) => [one]), []]
    case 'union':
      return def.options.flatMap((one) => candidates(one, world))
    case 'record':
      return candidates(def.valueType, world).map((one) => ({ one }))
    case 'object':
      return objects(def, world)
    case 'string':
      return [...texts, ...odd]
    default:
      return [...texts, { command: program }, [program]]
  }
}

/** One for each member, the others as they have to be. */
function objects({ shape }: Extract<Def, { type: 'object' }>, world: CanaryWorld): Content[] {
  const required = Object.entries(shape).filter(([, one]) => !['optional', 'default'].includes(defOf(one).type))
  const least = Object.fromEntries(required.map(([key, one]) => [key, BESIDE[key] ?? sampleOf(one)]))
  return Object.entries(shape).flatMap(([key, one]) =>
    candidates(one, world).map((value) => ({ ...least, [key]: value })),
  )
}

function sampleOf(schema: unknown): unknown {
  const def = defOf(schema)
  if (def.type === 'number') return 2
  if (def.type === 'boolean') return true
  if (def.type === 'array') return []
  if (def.type === 'record' || def.type === 'object') return {}
  return 'http://localhost:1/x'
}

function withValue(file: Content, [key = '', ...rest]: readonly string[], value: unknown): Content {
  const inner = file[key]
  const below = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Content) : {}
  return { ...file, [key]: rest.length === 0 ? value : withValue(below, rest, value) }
}

function hasValue(file: Content, path: readonly string[]): boolean {
  return path.reduce<unknown>((inner, key) => (inner as Content | undefined)?.[key], file) !== undefined
}

/** All of them in one file, as far as `isKept` allows the next one beside those before it. */
export function mergeFiles(canaries: readonly KeyCanary[], isKept: (file: Content) => boolean): Content {
  const first = [...new Map(canaries.toReversed().map((canary) => [canary.key, canary])).values()]
  return first.reduce((merged, { path, file }) => {
    const value = path.reduce<unknown>((inner, name) => (inner as Content | undefined)?.[name], file)
    const next = withValue(merged, path, value)
    return CHOOSES_PLUGIN.test(path.join('.')) || !isKept(next) ? merged : next
  }, BASE)
}

/** With a program's name as the plugin nothing would be run at all. */
const CHOOSES_PLUGIN =
  /(?:^|\.)(?:runtime|agent|workspace|tracker|scm|terminal|place|notifiers|name|plugin|path|defaultBranch)$|^plugins\./
