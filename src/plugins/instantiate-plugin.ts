// A registered plugin and its instances: one for each set of options. Before it gets options that a repository's file gives it,
// the user must have consented to them: so no command can meet a program, a machine or an address that a repository names.
import { isDeepStrictEqual } from 'node:util'
import { isTrustedByLocation, refuseUntrusted, type TrustLocation, withoutTrusted } from '../config/trust/trust.ts'
import { type TrustItem, trustItems } from '../config/trust/trust-items.ts'
import { CONSENT_KINDS, type ConsentKind } from '../contract/config/consent.ts'
import { type OrchestratorConfig, type PluginChoice, pluginName } from '../contract/config.ts'
import { AoError, errorText } from '../contract/errors.ts'
import { readRuntimeName, type SlotName } from '../contract/ids.ts'
import type { Plugin, PluginContext } from '../slots/plugin.ts'

export interface Entry {
  plugin: Plugin
  options: Record<string, unknown>
  source: string
  origin: 'built-in' | 'external' | 'registered'
  /** By their options and their place. */
  instances: Map<string, unknown>
}

export function instanceOf(entry: Entry, options: Record<string, unknown>, context: PluginContext): unknown {
  const id = JSON.stringify([options, context.place ?? null])
  if (!entry.instances.has(id)) entry.instances.set(id, create(entry.plugin, options, context))
  return entry.instances.get(id)
}

export function ownOptions(choice: PluginChoice): Record<string, unknown> {
  if (typeof choice === 'string') return {}
  const { plugin: _, ...options } = choice
  return options
}

export function unusable(what: string, error: unknown): AoError {
  return new AoError('PLUGIN_INVALID', `The plugin ${what} cannot be used: ${errorText(error)}`, { cause: error })
}

function create(plugin: Plugin, options: Record<string, unknown>, context: PluginContext): unknown {
  try {
    return plugin.create(options, context)
  } catch (error) {
    if (error instanceof AoError) throw error
    throw unusable(`${plugin.manifest.slot} ${plugin.manifest.name}`, error)
  }
}

interface OptionQuestion {
  slot: SlotName
  choice: PluginChoice
}

/** What they send may hold values of the environment from any key, such as the name of the repository. */
const TALKING: readonly SlotName[] = ['tracker', 'scm', 'notifier']

/**
 * Checked where it happens: CI and gates before they run, directories outside before a session starts. A plugin's code is
 * checked before it is loaded.
 */
const ELSEWHERE: readonly ConsentKind[] = ['ci', 'outside', 'plugin', 'agent-files']
const KINDS = CONSENT_KINDS.filter((kind) => !ELSEWHERE.includes(kind))

export function requireOptionConsent(
  config: OrchestratorConfig,
  question: OptionQuestion,
  location: TrustLocation,
): void {
  const isTalking = TALKING.includes(question.slot)
  // Asked for every session that is observed; most configurations give no options.
  if (!isTalking && !hasOptions(config, question)) return
  const concerned = trustItems(config, { home: location.home, kinds: KINDS }).filter(
    (item) => (isTalking && item.kind === 'environment') || concerns(config, item, question),
  )
  const untrusted = withoutTrusted(concerned, location)
  if (untrusted.length > 0 && !isTrustedByLocation(config.configPath, location))
    refuseUntrusted(config.configPath, untrusted)
}

function hasOptions(config: OrchestratorConfig, { slot, choice }: OptionQuestion): boolean {
  if (typeof choice !== 'string') return true
  return placeName(config, { slot, choice }) !== null || config.plugins[slot]?.name === choice
}

function concerns(config: OrchestratorConfig, { at, kind }: TrustItem, { slot, choice }: OptionQuestion): boolean {
  const [group, owner = '', key] = at
  const place = placeName(config, { slot, choice })
  if (group === 'places' || place !== null) return group === 'places' && owner === place
  if (group === 'plugins') return owner === slot && config.plugins[slot]?.name === pluginName(choice)
  if (group === 'notifiers') return slot === 'notifier' && isDeepStrictEqual(config.notifiers?.[owner], choice)
  const project = config.projects[owner] as Record<string, unknown> | undefined
  // The repository that it asks a forge about.
  if (group === 'projects' && at.length === 2 && kind === 'send')
    return (
      (slot === 'scm' || slot === 'tracker') && isDeepStrictEqual(project?.[slot] ?? config.plugins[slot]?.name, choice)
    )
  return group === 'projects' && key === slot && isDeepStrictEqual(project?.[slot], choice)
}

/** A place is a runtime with a name of its own. null: it is a plugin. */
function placeName({ places = {} }: OrchestratorConfig, { slot, choice }: OptionQuestion): string | null {
  const { place } = readRuntimeName(pluginName(choice))
  return slot === 'runtime' && Object.hasOwn(places, place) ? place : null
}
