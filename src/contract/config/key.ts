// What a key of agent-orchestrator.yaml is. One declaration says everything about it: what may be written there, what it is
// for, whether it needs consent, how two files are merged, whether it is secret, and how a form edits it. Schema, docs,
// consent, layers, redaction and forms are derived from it. zod is handed in where a file is checked: consent and the page
// need the declarations without it.
import type * as zod from 'zod/mini'
import type { SlotName } from '../ids.ts'
import type { Consent } from './consent.ts'

/** The parts that declarations use: handing on all of zod would put all of it into every bundle. */
export type Zod = Pick<
  typeof zod,
  | 'string'
  | 'number'
  | 'int'
  | 'boolean'
  | 'enum'
  | 'unknown'
  | 'array'
  | 'union'
  | 'record'
  | 'partialRecord'
  | 'strictObject'
  | 'looseObject'
  | 'optional'
  | '_default'
  | 'pipe'
  | 'transform'
  | 'describe'
  | 'refine'
  | 'regex'
  | 'minimum'
  | 'maximum'
  | 'positive'
  | 'minLength'
  | 'maxLength'
>
type Schema = zod.ZodMiniType

/** What may be written under a key. */
export interface Value<T = unknown> {
  schema(z: Zod): Schema
  /** How a form edits it. Without it, a form cannot. */
  input?: 'text' | 'number' | 'switch' | 'choice' | 'lines'
  choices?: readonly string[]
  /** It names a plugin of this slot. */
  slot?: SlotName
  /** From the text of a variable; throws an Error that says what it must be. */
  fromText?(text: string): unknown
  /** Only for the compiler. */
  readonly type?: T
}

export interface Field {
  label: string
  hint?: string
  /** A text of several lines. */
  isLong?: true
  /** What is in effect without the key, where the declaration has no default. */
  inherited?: string
}

interface About {
  about: string
  /** Of two files: one value as a whole (without this), key by key, both lists, or the repository's file alone. */
  merge?: 'keys' | 'joined' | 'repository'
  /** Not shown to anybody. Without this, the name of the key decides. */
  secret?: boolean
  required?: true
  default?: unknown
}

/** A key with one value. It has to say whether it needs consent. */
interface KeyAbout extends About {
  consent: Consent
  field?: Field
  /** The environment variable that sets it for one command. */
  variable?: string
  /** Its text is taken literally: a shell expands its own variables, and prose may mention `${…}`. */
  verbatim?: true
}

interface GroupAbout extends About {
  /** For all of it together, instead of key by key. */
  consent?: Consent
  /** Forms leave it out, whatever is in it. */
  notInForms?: true
  check?(z: Zod): zod.core.$ZodCheck<Record<string, unknown>>
}

export interface KeyEntry extends KeyAbout {
  kind: 'key'
  value: Value
}

export interface GroupEntry extends GroupAbout {
  kind: 'group'
  keys: Readonly<Record<string, Entry>>
  /** Other keys are allowed, with this consent. */
  others?: Consent
}

/** Entries whose names people choose, or which come from a list. */
export interface NamedEntry extends About {
  kind: 'named'
  consent?: undefined
  name(z: Zod): zod.core.$ZodRecordKey & Schema
  names?: readonly string[]
  entry: Entry
  /** Names for which another declaration counts, with the same values. */
  except?: Readonly<Record<string, Entry>>
}

/** A plugin with options: a name or `{ plugin, …options }` (choice), or `{ name, config: options }` (default). */
export interface PluginEntry extends About {
  kind: 'plugin'
  consent?: undefined
  slot: SlotName
  written: 'choice' | 'default'
  field?: Field
  schema(z: Zod): Schema
}

type Presence = 'optional' | 'required' | 'default'
export type Entry = (KeyEntry | GroupEntry | NamedEntry | PluginEntry) & { readonly output?: unknown }

/** `T` is what its value is, once it was checked. */
type Typed<T, P extends Presence> = Entry & { readonly output?: T; readonly presence?: P }
type PresenceOf<A> = A extends { required: true } ? 'required' : A extends { default: unknown } ? 'default' : 'optional'

export function key<T, const A extends Omit<KeyAbout, 'about' | 'consent'>>(
  value: Value<T>,
  consent: Consent,
  about: string,
  more?: A,
): Typed<T, PresenceOf<A>> {
  return { kind: 'key', value, consent, about, ...more }
}

export function group<K extends Record<string, Entry>, const A extends GroupAbout | string>(
  about: A,
  keys: K,
): Typed<GroupOf<K>, PresenceOf<A>> {
  return { kind: 'group', keys, ...(typeof about === 'string' ? { about } : about) }
}

/** With keys beside those that are declared: a plugin has options of its own. */
export function openGroup<K extends Record<string, Entry>, const A extends GroupAbout & { others: Consent }>(
  about: A,
  keys: K,
): Typed<GroupOf<K> & { [key: string]: unknown }, PresenceOf<A>> {
  return { kind: 'group', keys, ...about }
}

type NamedAbout = About & Pick<NamedEntry, 'name' | 'except'>

export function named<E extends Entry, const A extends NamedAbout>(
  about: A,
  entry: E,
): Typed<Record<string, OutputOf<E>>, PresenceOf<A>> {
  return { kind: 'named', entry, ...about }
}

export function listed<N extends string, E extends Entry, const A extends Omit<NamedAbout, 'name'>>(
  names: readonly N[],
  about: A,
  entry: E,
): Typed<{ [K in N]?: OutputOf<E> }, PresenceOf<A>> {
  return { kind: 'named', names, name: (z) => z.enum(names), entry, ...about }
}

export function plugin<T, const A extends Omit<PluginEntry, 'kind' | 'schema'>>(
  about: A,
  schema: (z: Zod) => zod.ZodMiniType<T>,
): Typed<T, PresenceOf<A>> {
  return { kind: 'plugin', schema, ...about }
}

export type OutputOf<E> = E extends { readonly output?: infer T } ? Exclude<T, undefined> : never
type OptionalIn<K> = { [N in keyof K]: K[N] extends { readonly presence?: 'optional' } ? N : never }[keyof K]
export type GroupOf<K> = { [N in Exclude<keyof K, OptionalIn<K>>]: OutputOf<K[N]> } & {
  [N in OptionalIn<K>]?: OutputOf<K[N]> | undefined
} extends infer O
  ? { [N in keyof O]: O[N] }
  : never

/** What is declared below an entry: another entry, a verdict for keys that nobody declared, or nothing at all. */
export function childOf(entry: Entry | Consent | undefined, name: string): Entry | Consent | undefined {
  if (!isEntry(entry)) return undefined
  switch (entry.kind) {
    case 'group':
      return Object.hasOwn(entry.keys, name) ? entry.keys[name] : entry.others
    case 'named':
      return entry.except && Object.hasOwn(entry.except, name) ? entry.except[name] : entry.entry
    case 'plugin':
      return entry.written === 'default' && name === 'config' ? entry : undefined
    case 'key':
      return undefined
  }
}

export function isEntry(rule: Entry | Consent | undefined): rule is Entry {
  return typeof rule === 'object' && 'kind' in rule
}

export function schemaOf(entry: Entry, z: Zod): Schema {
  const schema = presenceOf(entry, bareSchema(entry, z), z)
  return entry.about === '' ? schema : (schema.check(z.describe(entry.about)) as Schema)
}

function presenceOf({ required, default: value }: Entry, schema: Schema, z: Zod): Schema {
  if (required) return schema
  return value === undefined ? z.optional(schema) : z._default(schema, value)
}

function bareSchema(entry: Entry, z: Zod): Schema {
  switch (entry.kind) {
    case 'key':
      return entry.value.schema(z)
    case 'plugin':
      return entry.schema(z)
    case 'named': {
      // Without what it says about one of them: that is said of all.
      const inner = schemaOf({ ...entry.entry, required: true }, z)
      return entry.names ? z.partialRecord(entry.name(z), inner) : z.record(entry.name(z), inner)
    }
    case 'group': {
      const shape = Object.fromEntries(Object.entries(entry.keys).map(([name, inner]) => [name, schemaOf(inner, z)]))
      const schema = entry.others === undefined ? z.strictObject(shape) : z.looseObject(shape)
      return entry.check ? schema.check(entry.check(z)) : schema
    }
  }
}
