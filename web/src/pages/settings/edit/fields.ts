// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// The settings that the page offers: the declared keys that have a field. Everything else is in the file, or `ao config set`.
import type { Entry, Field, GroupEntry, KeyEntry, PluginEntry } from '../../../../../src/contract/config/key.ts'
import { CONFIG } from '../../../../../src/contract/config/keys.ts'
import { PLUGIN_OPTIONS } from '../../../../../src/contract/config/plugin-options.ts'
import { project } from '../../../../../src/contract/config/project-keys.ts'
import { PRIORITIES, reaction } from '../../../../../src/contract/config/reaction-keys.ts'
import type { SettingsAnswer } from '../../../../../src/contract/dashboard/pages.ts'
import { type KeyPath, valueAt } from '../../../../../src/core/config/key-path.ts'
import { isSecretPath } from '../../../../../src/core/config/secret-path.ts'
import { formatAge } from '../../../ui/text/format.ts'
import type { SettingsField } from './draft.ts'

export interface Offer {
  content: unknown
  /** By slot. */
  plugins: Readonly<Record<string, readonly string[]>>
}

/** By key: what is in effect without it, where only the page knows. */
type Inherited = Readonly<Record<string, string | undefined>>

/** Of a group: entries that people name have forms of their own. */
function fieldsOf(group: Entry, path: KeyPath, offer: Offer, inherited: Inherited = {}): SettingsField[] {
  return Object.entries((group as GroupEntry).keys).flatMap(([key, entry]): SettingsField[] => {
    const at = [...path, key]
    if (entry.kind === 'group') return entry.notInForms ? [] : fieldsOf(entry, at, offer)
    if (entry.kind === 'named' || entry.field === undefined) return []
    return [fieldOf(entry, entry.field, at, offer, inherited[key])]
  })
}

function fieldOf(
  entry: KeyEntry | PluginEntry,
  { label, hint, isLong, ...field }: Field,
  path: KeyPath,
  offer: Offer,
  current?: string,
): SettingsField {
  const inherited = current ?? field.inherited ?? (entry.default === undefined ? undefined : String(entry.default))
  const shared = { label, ...(hint && { hint }), ...(inherited && { inherited }) }
  const slot = entry.kind === 'plugin' ? entry.slot : entry.value.slot
  if (slot !== undefined) {
    // `tracker: linear`, or `tracker: { plugin: linear, … }`, whose options stay.
    const hasOptions = typeof valueAt(offer.content, path) === 'object'
    return {
      ...shared,
      path: hasOptions ? [...path, 'plugin'] : path,
      kind: 'choice',
      choices: offer.plugins[slot] ?? [],
    }
  }
  const { input = 'text', choices } = (entry as KeyEntry).value
  return {
    ...shared,
    path,
    kind: isLong ? 'long' : input,
    ...(choices && { choices }),
    ...(entry.required && { isRequired: true }),
  }
}

export function generalFields(offer: Offer): SettingsField[] {
  return fieldsOf(CONFIG, [], offer)
}

export function projectFields(offer: Offer, id: string): SettingsField[] {
  return fieldsOf(project, ['projects', id], offer, { name: id })
}

/** What is in force now, whoever says so. */
export type Rule = SettingsAnswer['projects'][number]['reactions'][number]['rule']

export function reactionFields(offer: Offer, name: string | null, key: string, rule: Rule): SettingsField[] {
  const base = [...(name === null ? [] : ['projects', name]), 'reactions', key]
  return fieldsOf(reaction, base, offer, {
    auto: String(rule.auto),
    action: rule.action,
    priority: rule.priority,
    threshold: formatAge(rule.thresholdMs),
    retries: String(rule.retries ?? 'any number'),
  })
}

/** Options of an external plugin are known to the plugin alone. */
export function notifierFields(name: string, plugin: string): SettingsField[] {
  const options = PLUGIN_OPTIONS.notifier[plugin] ?? {}
  return Object.keys(options).flatMap((option): SettingsField[] => {
    const path = ['notifiers', name, option]
    if (option === 'headers') return []
    if (option === 'sound') return [{ path, label: option, kind: 'switch' }]
    const hint = isSecretPath(path) ? '${NAME} takes it from the environment of ao start' : undefined
    return [{ path, label: option, kind: 'text', ...(hint && { hint }) }]
  })
}

export function routingFields(names: readonly string[]): SettingsField[] {
  const chosen = { kind: 'names', choices: names } as const
  return [
    ...PRIORITIES.map((priority): SettingsField => {
      return { path: ['notificationRouting', priority], label: `Notifiers for ${priority}`, ...chosen }
    }),
    { path: ['defaults', 'notifiers'], label: 'Everything else goes to', ...chosen },
  ]
}
