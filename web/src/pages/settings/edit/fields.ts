// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
// The settings that the page offers, as tables of fields. Everything else is in the file, or `ao config set`.
import { PERMISSION_MODES } from '../../../../../src/contract/config.ts'
import { PLUGIN_OPTIONS } from '../../../../../src/contract/config-consent.ts'
import type { SettingsAnswer } from '../../../../../src/contract/dashboard/pages.ts'
import { BUDGET_ACTIONS } from '../../../../../src/contract/money/budget.ts'
import { type KeyPath, valueAt } from '../../../../../src/core/config/key-path.ts'
import { isSecretPath } from '../../../../../src/core/config/secret-path.ts'
import { formatAge } from '../../../ui/text/format.ts'
import type { SettingsField } from './draft.ts'

export interface Offer {
  content: unknown
  /** By slot. */
  plugins: Readonly<Record<string, readonly string[]>>
}

const PRIORITIES = ['urgent', 'action', 'warning', 'info'] as const

/** `tracker: linear`, or `tracker: { plugin: linear, … }`, whose options stay. */
function pluginField(offer: Offer, path: KeyPath, slot: string, label: string): SettingsField {
  const hasOptions = typeof valueAt(offer.content, path) === 'object'
  return { path: hasOptions ? [...path, 'plugin'] : path, label, kind: 'choice', choices: offer.plugins[slot] ?? [] }
}

function budgetFields(path: KeyPath): SettingsField[] {
  return [
    { path: [...path, 'session'], label: 'One session may cost', kind: 'text', hint: 'Such as 5 USD' },
    { path: [...path, 'day'], label: 'All sessions on one day', kind: 'text', hint: 'Such as 50 USD' },
    { path: [...path, 'action'], label: 'At the limit', kind: 'choice', choices: BUDGET_ACTIONS, inherited: 'notify' },
  ]
}

export function generalFields(offer: Offer): SettingsField[] {
  return [
    pluginField(offer, ['defaults', 'agent'], 'agent', 'Agent'),
    pluginField(offer, ['defaults', 'runtime'], 'runtime', 'Runtime'),
    pluginField(offer, ['defaults', 'workspace'], 'workspace', 'Workspace'),
    ...budgetFields(['budget']),
    {
      path: ['lifecycle', 'pollSeconds'],
      label: 'Seconds between two rounds of the loop',
      kind: 'number',
      inherited: '30',
    },
  ]
}

export function projectFields(offer: Offer, id: string): SettingsField[] {
  const at = (...keys: string[]) => ['projects', id, ...keys]
  return [
    {
      path: at('path'),
      label: 'Directory of the repository',
      kind: 'text',
      isRequired: true,
      hint: 'Relative to the file, absolute, or with ~/',
    },
    { path: at('name'), label: 'Name', kind: 'text', inherited: id },
    { path: at('repo'), label: 'Repository on the forge', kind: 'text', hint: 'Such as owner/name' },
    { path: at('defaultBranch'), label: 'Branch that new work starts from', kind: 'text', inherited: 'main' },
    pluginField(offer, at('tracker'), 'tracker', 'Issues'),
    pluginField(offer, at('scm'), 'scm', 'Pull requests'),
    pluginField(offer, at('agent'), 'agent', 'Agent'),
    pluginField(offer, at('runtime'), 'runtime', 'Runtime'),
    {
      path: at('agentConfig', 'permissions'),
      label: 'How often the agent asks',
      kind: 'choice',
      choices: PERMISSION_MODES,
      inherited: 'default',
    },
    { path: at('agentConfig', 'model'), label: 'Model', kind: 'text' },
    { path: at('agentRules'), label: 'Rules that every prompt ends with', kind: 'long' },
    { path: at('postCreate'), label: 'Commands that prepare a new worktree', kind: 'lines', hint: 'One on each line' },
    { path: at('landing', 'mode'), label: 'Landing', kind: 'choice', choices: ['off', 'train'], inherited: 'off' },
    ...budgetFields(at('budget')),
  ]
}

/** What is in force now, whoever says so. */
export type Rule = SettingsAnswer['projects'][number]['reactions'][number]['rule']

export function reactionFields(project: string | null, key: string, rule: Rule): SettingsField[] {
  const base = [...(project === null ? [] : ['projects', project]), 'reactions', key]
  return [
    {
      path: [...base, 'auto'],
      label: 'By itself',
      kind: 'switch',
      hint: 'false: it is only shown',
      inherited: String(rule.auto),
    },
    {
      path: [...base, 'action'],
      label: 'Then',
      kind: 'choice',
      choices: ['send-to-agent', 'notify', 'auto-merge', 'restart-agent', 'off'],
      inherited: rule.action,
    },
    { path: [...base, 'priority'], label: 'Priority', kind: 'choice', choices: PRIORITIES, inherited: rule.priority },
    {
      path: [...base, 'threshold'],
      label: 'After it has lasted',
      kind: 'text',
      hint: 'Such as 10m',
      inherited: formatAge(rule.thresholdMs),
    },
    {
      path: [...base, 'retries'],
      label: 'Tries before a person is notified',
      kind: 'number',
      inherited: String(rule.retries ?? 'any number'),
    },
    {
      path: [...base, 'escalateAfter'],
      label: 'A person is notified after',
      kind: 'number',
      hint: 'A number of attempts, or a duration such as 30m',
    },
    { path: [...base, 'message'], label: 'Message', kind: 'long', hint: 'Instead of the usual one' },
  ]
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
  return [
    ...PRIORITIES.map(
      (priority): SettingsField => ({
        path: ['notificationRouting', priority],
        label: `What is ${priority} goes to`,
        kind: 'names',
        choices: names,
      }),
    ),
    { path: ['defaults', 'notifiers'], label: 'Everything else goes to', kind: 'names', choices: names },
  ]
}
