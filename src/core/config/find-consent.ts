// Walks a configuration and finds every value that requires the user's consent. Pure; the keys are declared in the contract.
import { type Consent, type ConsentKind, UNKNOWN, UNKNOWN_OPTION, type Verdict } from '../../contract/config/consent.ts'
import { childOf, type Entry, isEntry, type PluginEntry } from '../../contract/config/key.ts'
import { CONFIG } from '../../contract/config/keys.ts'
import { PLUGIN_OPTIONS } from '../../contract/config/plugin-options.ts'
import type { SlotName } from '../../contract/slot-names.ts'
import { namesVariable } from '../text/expand-env.ts'
import { entriesOf } from './entries.ts'

export interface ConsentFinding {
  kind: ConsentKind
  path: readonly string[]
  value: unknown
}

/** Keys whose text is taken literally, wherever they are. */
export const VERBATIM_KEYS: ReadonlySet<string> = new Set(
  entriesOf(CONFIG).flatMap(({ path, entry }) => (entry.kind === 'key' && entry.verbatim ? [path.at(-1)!] : [])),
)

/** `file` is the text before variables are replaced: consent is given to exactly that. */
export function findConsent(file: unknown): ConsentFinding[] {
  return judge(file, CONFIG, [])
}

function judge(value: unknown, rule: Entry | Consent, path: readonly string[]): ConsentFinding[] {
  if (value === undefined || value === null) return []
  if (!isEntry(rule)) return apply(value, verdictOf(value, rule), path)
  if (rule.consent !== undefined) return apply(value, verdictOf(value, rule.consent), path)
  return rule.kind === 'plugin' ? judgeOptions(value, rule, path) : judgeKeys(value, rule, path)
}

function verdictOf(value: unknown, consent: Consent): Verdict {
  if (typeof consent === 'string') return consent
  return consent.but.some((one) => one === value) ? 'harmless' : consent.verdict
}

function apply(value: unknown, verdict: Verdict, path: readonly string[]): ConsentFinding[] {
  if (verdict !== 'harmless') return [{ kind: verdict, path, value }]
  return takesVariable(value, path) ? [{ kind: 'environment', path, value }] : []
}

function judgeKeys(value: unknown, entry: Entry, path: readonly string[]): ConsentFinding[] {
  // Something other than keys where keys should be: its effect is unknown.
  if (!isObject(value)) return apply(value, UNKNOWN, path)
  return Object.entries(value).flatMap(([key, inner]) => judge(inner, childOf(entry, key) ?? UNKNOWN, [...path, key]))
}

/** A plugin's name only chooses among the installed ones; its options are judged one by one. */
function judgeOptions(value: unknown, { slot, written }: PluginEntry, path: readonly string[]): ConsentFinding[] {
  if (typeof value === 'string') return apply(value, 'harmless', path)
  if (!isObject(value)) return apply(value, UNKNOWN_OPTION[slot], path)
  const [nameKey, optionsKey] = written === 'choice' ? ['plugin', null] : ['name', 'config']
  const name = value[nameKey!]
  const judgeOption = ([key, inner]: [string, unknown], at: readonly string[]) =>
    judge(inner, optionVerdict(slot, name, key), [...at, key])
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === nameKey) return apply(inner, 'harmless', [...path, key])
    if (key === optionsKey && isObject(inner)) {
      return Object.entries(inner).flatMap((entry) => judgeOption(entry, [...path, key]))
    }
    return judgeOption([key, inner], path)
  })
}

export function optionVerdict(slot: SlotName, plugin: unknown, option: string): Verdict {
  const plugins = PLUGIN_OPTIONS[slot]
  const options = typeof plugin === 'string' && Object.hasOwn(plugins, plugin) ? plugins[plugin]! : {}
  const declared = Object.hasOwn(options, option) ? options[option]! : UNKNOWN_OPTION[slot]
  return typeof declared === 'string' ? declared : declared.secret
}

function takesVariable(value: unknown, path: readonly string[]): boolean {
  if (path.some((key) => VERBATIM_KEYS.has(key))) return false
  if (typeof value === 'string') return namesVariable(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) =>
    takesVariable(inner, Array.isArray(value) ? path : [...path, key]),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
