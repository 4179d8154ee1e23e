// Walks a configuration and finds every value that requires the user's consent. Pure; the list is in the contract.
import {
  CONFIG_CONSENT,
  type ConsentKind,
  type KeyRules,
  type OptionsRule,
  PLUGIN_OPTIONS,
  type Rule,
  UNKNOWN,
  UNKNOWN_OPTION,
  type Verdict,
  type VerdictWithExceptions,
} from '../../contract/config-consent.ts'
import type { SlotName } from '../../contract/slot-names.ts'
import { namesVariable } from '../text/expand-env.ts'

export interface ConsentFinding {
  kind: ConsentKind
  path: readonly string[]
  value: unknown
}

/** Text under these keys is taken literally: a shell expands its own variables, and a rule may mention `${…}`. */
export const VERBATIM_KEYS: ReadonlySet<string> = new Set([
  'postCreate',
  'preRemove',
  'agentRules',
  'orchestratorRules',
  'message',
  '$schema',
])

/** `file` is the text before variables are replaced: consent is given to exactly that. */
export function findConsent(file: unknown): ConsentFinding[] {
  return judge(file, CONFIG_CONSENT, [])
}

function judge(value: unknown, rule: Rule, path: readonly string[]): ConsentFinding[] {
  if (value === undefined || value === null) return []
  if (typeof rule === 'string') return apply(value, rule, path)
  if ('verdict' in rule) return apply(value, verdictOf(value, rule), path)
  if ('optionsOf' in rule) return judgeOptions(value, rule, path)
  return judgeKeys(value, rule, path)
}

function verdictOf(value: unknown, { verdict, but }: VerdictWithExceptions): Verdict {
  return but.some((one) => one === value) ? 'harmless' : verdict
}

function apply(value: unknown, verdict: Verdict, path: readonly string[]): ConsentFinding[] {
  if (verdict !== 'harmless') return [{ kind: verdict, path, value }]
  return takesVariable(value, path) ? [{ kind: 'environment', path, value }] : []
}

function judgeKeys(value: unknown, { keys, others }: KeyRules, path: readonly string[]): ConsentFinding[] {
  // Something other than keys where keys should be: its effect is unknown.
  if (!isObject(value)) return apply(value, UNKNOWN, path)
  return Object.entries(value).flatMap(([key, inner]) => {
    const rule = Object.hasOwn(keys, key) ? keys[key]! : (others ?? UNKNOWN)
    return judge(inner, rule, [...path, key])
  })
}

/** A plugin's name only chooses among the installed ones; its options are judged one by one. */
function judgeOptions(value: unknown, rule: OptionsRule, path: readonly string[]): ConsentFinding[] {
  const { optionsOf: slot, written } = rule
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
  const known = typeof plugin === 'string' && Object.hasOwn(plugins, plugin) ? plugins[plugin]! : {}
  return Object.hasOwn(known, option) ? known[option]! : UNKNOWN_OPTION[slot]
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
