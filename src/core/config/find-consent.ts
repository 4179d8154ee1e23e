// Walks a configuration, finds every value that requires the user's consent, and words it for the person who is asked. Pure; the
// keys are declared in the contract.
import { type Consent, type ConsentKind, UNKNOWN, UNKNOWN_OPTION, type Verdict } from '../../contract/config/consent.ts'
import { childOf, type Entry, isEntry, type PluginEntry } from '../../contract/config/key.ts'
import { CONFIG } from '../../contract/config/keys.ts'
import { PLUGIN_OPTIONS } from '../../contract/config/plugin-options.ts'
import type { SlotName } from '../../contract/ids.ts'
import { namesVariable } from '../text/expand-env.ts'
import { isObject } from '../text/json-fields.ts'
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

/** Keys of one section of a configuration that are consented to together. */
export interface FindingGroup {
  kind: ConsentKind
  /** The path of that section. */
  at: readonly string[]
  values: Record<string, unknown>
}

export interface Wording {
  kind: ConsentKind
  project?: string | undefined
  at: readonly string[]
  what: string
  content: readonly string[]
}

const CI_WORDING: Readonly<Record<string, string>> = {
  resolve: 'solves conflicts of what lands by these rules',
  meaning: 'runs gates and CI on live branches together, before a pull request is opened',
}

/** `outside`: the real path, when it leads out of the repository. */
export function describeFinding(group: FindingGroup, outside?: string): Wording {
  const { kind, at } = group
  const project = at[0] === 'projects' ? at[1] : undefined
  const base = { kind, at, project }
  const where = project === undefined ? 'every project' : `project ${project}`
  const json = JSON.stringify(group.values)
  const [key = ''] = Object.keys(group.values)
  switch (kind) {
    case 'postCreate':
      return { ...base, ...hookCommands(where, key, group.values[key]) }
    case 'ci': {
      const content = JSON.stringify(group.values[key])
      return {
        ...base,
        what: `${where} ${CI_WORDING[key] ?? 'runs as CI on the commits of its pull requests'}: ${content}`,
        content: [content],
      }
    }
    case 'agent-command':
      return { ...base, ...agentCommand(where, group) }
    case 'listen':
      return { ...base, what: `${listener(at)} ${shown(group.values)}`, content: [at.join('.'), json] }
    case 'send':
      return { ...base, what: `${sender(where, at)} ${shown(group.values)}`, content: [at.join('.'), json] }
    case 'place':
      return { ...base, what: `${at.join('.')} starts agents there: ${json}`, content: [at.join('.'), json] }
    case 'automatic':
      return { ...base, what: `${where} ${actsAlone(group)}: ${at.join('.')} ${json}`, content: [at.join('.'), json] }
    case 'outside':
      return { ...base, what: `${reader(where, key)} ${outside}`, content: [key, outside ?? ''] }
    default:
      return {
        ...base,
        what: `${[...at, key].join('.')} takes a value of your environment: ${JSON.stringify(group.values[key])}`,
        content: [[...at, key].join('.'), json],
      }
  }
}

function hookCommands(where: string, hook: string, value: unknown): Pick<Wording, 'what' | 'content'> {
  const commands = Array.isArray(value) ? value.map(String) : [String(value)]
  const lines = commands.map((command) => JSON.stringify(command)).join(', ')
  if (hook === 'postCreate') {
    // Without a name since the first version, so that existing consent stays valid. With one where the first command is the
    // name of a hook: consent to one hook never counts for the other.
    const isAmbiguous = commands[0] === 'postCreate' || commands[0] === 'preRemove'
    const content = isAmbiguous ? [hook, ...commands] : commands
    return { what: `${where} runs in every new worktree: ${lines}`, content }
  }
  return { what: `${where} runs before a worktree is removed: ${lines}`, content: [hook, ...commands] }
}

/** In this order since the first version: existing consent stays valid. */
const FIRST_KEYS = ['command', 'acpCommand', 'args', 'env', 'permissions']

function agentCommand(where: string, { at, values }: FindingGroup): Pick<Wording, 'what' | 'content'> {
  if ('forwardOutsiders' in values) {
    const what = `${where} passes comments of people outside the repository on to its agents`
    return { what, content: ['forwardOutsiders'] }
  }
  if ('fallback' in values) {
    const names = JSON.stringify(values.fallback)
    return {
      what: `${where} continues with other accounts when a limit stops an agent: ${names}`,
      content: ['fallback', names],
    }
  }
  if (at[0] === 'actions') {
    const action = `${at.join('.')} ${JSON.stringify(values)}`
    return { what: `the board in the terminal runs, at a key of yours: ${action}`, content: [action] }
  }
  if (at[0] === 'aliases') {
    const alias = `ao ${at[1]} ${JSON.stringify(values.run)}`
    return { what: `a name that you type stands for a command: ${alias}`, content: ['alias', alias] }
  }
  if (at[0] === 'accounts') {
    return {
      what: `agents may be started with the accounts ${JSON.stringify(values)}`,
      content: ['accounts', JSON.stringify(values)],
    }
  }
  const keys = [...FIRST_KEYS, ...Object.keys(values).sort()].filter((key) => key in values)
  const content = JSON.stringify(Object.fromEntries(keys.map((key) => [key, values[key]])))
  const subject = started(at)
  return { what: `${where} starts its ${subject} with ${content}`, content: [subject, content] }
}

function started(at: readonly string[]): string {
  if (at.at(-1) !== 'agentConfig') return at.filter((key) => key !== 'config').slice(-1)[0] ?? 'agent'
  const owner = at.at(-2)
  return owner === 'worker' || owner === 'orchestrator' || owner === 'reviewer' ? owner : 'agent'
}

function actsAlone({ at, values }: FindingGroup): string {
  if (at.at(-1) === 'backlog') return 'starts agents on issues by itself'
  if ('speculate' in values) return 'starts agents on work that has not landed by itself'
  if (at[0] === 'disk') return 'removes what archived sessions left beyond these limits'
  if (at.includes('schedules')) return 'starts agents at certain times by itself'
  if (at.includes('triggers')) return 'starts agents when something happens'
  return at.includes('reactions') ? 'merges or restarts agents by itself' : 'lands pull requests by itself'
}

function listener(at: readonly string[]): string {
  return at[0] === 'webhooks' ? `the dashboard takes webhooks of ${at[1]} signed with` : 'the dashboard listens with'
}

function sender(where: string, at: readonly string[]): string {
  if (at.length === 2 && at[0] === 'projects')
    return `${where} uses your token of the forge on a repository that no remote of its checkout names:`
  if (at[0] === 'notifiers') return `the notifier ${at[1]} sends to`
  return `${where} reaches its ${at.filter((key) => key !== 'config').at(-1)} with`
}

function reader(where: string, key: string): string {
  if (key === 'path') return `${where} is a directory outside of the configuration's own:`
  if (key === 'agentRulesFile') return `${where} puts a file from outside of it into every prompt:`
  return `${where} puts its workspaces into`
}

const SECRET_KEY = /token|secret|password|passwd/i

/** A secret in the file itself is not repeated on screens and in logs; a variable's name is. */
function shown(values: Record<string, unknown>): string {
  return JSON.stringify(values, (key, value: unknown) =>
    SECRET_KEY.test(key) && typeof value === 'string' && !value.includes('${') ? `[${value.length} characters]` : value,
  )
}
