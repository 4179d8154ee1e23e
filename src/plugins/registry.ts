// Finds, loads and creates plugins. Built-ins are known from their table and loaded on demand; what a test or a program
// registers itself always wins; nothing from a repository is loaded without consent.

import { dirname } from 'node:path'
import { enabledExternals } from '../config/trust/resolve-external.ts'
import { type Consents, readConsents, requireOptionConsent, requireTrust } from '../config/trust/trust.ts'
import { type OrchestratorConfig, type PlaceConfig, type PluginChoice, pluginName } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import { readRuntimeName, type SlotName } from '../contract/ids.ts'
import { splitPlace } from '../core/place/choose-place.ts'
import { createLog, type Log } from '../lib/log.ts'
import { ownHome, resolveDataDir } from '../lib/process/own-home.ts'
import type { PlaceEngine } from '../slots/place.ts'
import type { PluginContext, SlotMap } from '../slots/plugin.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import { BUILTIN_PLUGINS, type BuiltinPlugin } from './builtin.ts'
import { formerPlace } from './former-place.ts'
import { detectPlugins, type Entry, type LoadedPlugins, listPlugins } from './list-plugins.ts'
import { missingPlugin, unusable } from './missing-plugin.ts'

export interface RegistryOptions {
  env?: NodeJS.ProcessEnv
  home?: string
  log?: Log
  /** The address at which the configuration's pages are now. */
  page?: PluginContext['page']
  sessionPlace?: PluginContext['sessionPlace']
}

interface Registry extends LoadedPlugins {
  config: OrchestratorConfig | null
  /** Built-ins being loaded, by `slot:name`. */
  loading: Map<string, Promise<void>>
  /** Places that are no longer in the configuration, by name. */
  former: Map<string, PlaceConfig>
  /** By slot and choice, options included. Dropped with the configuration and with every new plugin. */
  resolved: Map<string, Resolution>
}

/** Holds while the user's consents are the same object, which they are while their file is the same. */
interface Resolution {
  instance: SlotMap[SlotName]
  consents: Consents
}

export function createPluginRegistry(options: RegistryOptions = {}): PluginRegistry {
  const registry = emptyRegistry(options)
  return {
    loadBuiltins: (config, { lazy = false } = {}) => loadBuiltins(registry, config, lazy),
    register: (plugin, own = {}, source = 'registered') =>
      add(registry, { plugin, options: own, source, origin: 'registered' }),
    get: (slot, choice) => get(registry, slot, choice) as never,
    load: async (slot, choice) =>
      (await find(registry, slot, choice)) ??
      refuse(registry, slot, placeOf(registry, slot, choice)?.type ?? pluginName(choice)),
    find: (slot, choice) => find(registry, slot, choice),
    engine: (type, own, configDir) => engineOf(registry, type, own, configDir),
    async list() {
      await loadAll(registry)
      return listPlugins(registry)
    },
    async detect(slot) {
      await loadAll(registry, slot)
      return detectPlugins(registry, slot)
    },
  }
}

function emptyRegistry(options: RegistryOptions): Registry {
  const env = options.env ?? process.env
  const home = options.home ?? ownHome(env)
  const log = options.log ?? createLog(env.AO_LOG_LEVEL)
  return {
    context: {
      ...{ home, env, log, configDir: home, dataDir: resolveDataDir(home, env) },
      ...{ page: options.page, sessionPlace: options.sessionPlace },
    },
    config: null,
    entries: new Map(),
    loading: new Map(),
    broken: new Map(),
    failed: [],
    former: new Map(),
    resolved: new Map(),
  }
}

async function loadBuiltins(registry: Registry, config: OrchestratorConfig, lazy: boolean): Promise<void> {
  registry.config = config
  const { home, env } = registry.context
  registry.context = {
    ...registry.context,
    configDir: dirname(config.configPath),
    port: config.port,
    requireTrust: (kind, projectId) => requireTrust(config, { home, env, projectId, kinds: [kind] }),
  }
  registry.failed = []
  registry.former.clear()
  registry.resolved.clear()
  for (const [key, entry] of registry.entries) {
    if (entry.origin === 'external') registry.entries.delete(key)
    // Created with the options of another configuration.
    entry.instances.clear()
  }
  await loadExternals(registry, config)
  if (!lazy) await loadAll(registry)
}

async function loadExternals(registry: Registry, config: OrchestratorConfig): Promise<void> {
  if (!config.plugins.external?.length) return
  const { loadExternal } = await import('./load-external.ts')
  const { home, env, log } = registry.context
  for (const { external, isUsers, written } of enabledExternals(config)) {
    const source = external.package ?? external.path ?? ''
    try {
      const loaded = await loadExternal(external, { configPath: config.configPath, isUsers, written, home, env })
      add(registry, { ...loaded, options: external.config ?? {}, origin: 'external' })
    } catch (error) {
      const explained = error instanceof AoError ? error : unusable(source, error)
      registry.failed.push({ source, error: explained })
      log.warn(explained.message, explained.hint === undefined ? {} : { hint: explained.hint })
    }
  }
}

async function ensure(registry: Registry, slot: SlotName, name: string): Promise<void> {
  const key = keyOf(slot, name)
  if (registry.entries.has(key)) return
  const builtin = BUILTIN_PLUGINS.find((one) => one.slot === slot && one.name === name)
  if (!builtin) return
  const loading = registry.loading.get(key) ?? loadBuiltin(registry, builtin)
  registry.loading.set(key, loading)
  try {
    await loading
  } finally {
    registry.loading.delete(key)
  }
}

async function loadBuiltin(registry: Registry, { slot, name, load }: BuiltinPlugin): Promise<void> {
  const key = keyOf(slot, name)
  try {
    const { plugin } = await load()
    registry.broken.delete(key)
    add(registry, { plugin, options: {}, source: 'built-in', origin: 'built-in' })
  } catch (error) {
    const broken = unusable(`${slot} ${name}`, error)
    registry.broken.set(key, broken)
    throw broken
  }
}

/** Programmatically registered plugins win over external ones, and these over built-ins; among equals the later wins. */
function add(registry: Registry, entry: Omit<Entry, 'instances'>): void {
  const { slot, name } = entry.plugin.manifest
  const registered = registry.entries.get(keyOf(slot, name))
  if (registered && RANK[registered.origin] > RANK[entry.origin]) return
  registry.entries.set(keyOf(slot, name), { ...entry, instances: new Map() })
  registry.resolved.clear()
}

const RANK = { 'built-in': 0, external: 1, registered: 2 } as const

async function find<S extends SlotName>(registry: Registry, slot: S, choice: PluginChoice): Promise<SlotMap[S] | null> {
  const cached = resolvedBefore(registry, slot, choice)
  if (cached) return cached
  await ensure(registry, slot, placeOf(registry, slot, choice)?.type ?? pluginName(choice))
  return get(registry, slot, choice)
}

/** The only way to an instance: whatever a repository's file says about its options was agreed to. */
function get<S extends SlotName>(registry: Registry, slot: S, choice: PluginChoice): SlotMap[S] | null {
  const cached = resolvedBefore(registry, slot, choice)
  if (cached) return cached
  // Read before the question: consent that is withdrawn in between is asked for again.
  const consents = readConsents(registry.context)
  const instance = resolve(registry, slot, choice)
  if (instance && isSettled(registry)) registry.resolved.set(choiceKey(slot, choice), { instance, consents })
  return instance
}

function resolvedBefore<S extends SlotName>(registry: Registry, slot: S, choice: PluginChoice): SlotMap[S] | null {
  const cached = registry.resolved.get(choiceKey(slot, choice))
  return cached?.consents === readConsents(registry.context) ? (cached.instance as SlotMap[S]) : null
}

/** One that a program made itself may be changed by it in place; one from a file is replaced as a whole. */
function isSettled({ config }: Registry): boolean {
  return config === null || config.source !== undefined
}

function resolve<S extends SlotName>(registry: Registry, slot: S, choice: PluginChoice): SlotMap[S] | null {
  if (registry.config) requireOptionConsent(registry.config, { slot, choice }, registry.context)
  const place = placeOf(registry, slot, choice)
  if (place) return getPlace(registry, slot, pluginName(choice), place)
  const name = pluginName(choice)
  const entry = registry.entries.get(keyOf(slot, name))
  if (!entry) return null
  const chosen = registry.config?.plugins[slot]
  const inConfig = chosen?.name === name ? chosen.config : {}
  const options = { ...inConfig, ...entry.options, ...ownOptions(choice) }
  return instanceOf(entry, options, contextOf(registry, entry)) as SlotMap[S]
}

function ownOptions(choice: PluginChoice): Record<string, unknown> {
  if (typeof choice === 'string') return {}
  const { plugin: _, ...options } = choice
  return options
}

/** One for each set of options. */
function instanceOf({ plugin, instances }: Entry, options: Record<string, unknown>, context: PluginContext): unknown {
  const id = JSON.stringify([options, context.place ?? null])
  if (instances.has(id)) return instances.get(id)
  try {
    const instance = plugin.create(options, context)
    instances.set(id, instance)
    return instance
  } catch (error) {
    throw error instanceof AoError ? error : unusable(`${plugin.manifest.slot} ${plugin.manifest.name}`, error)
  }
}

function contextOf({ context, config }: Registry, { origin }: Entry): PluginContext {
  return origin === 'external' ? { ...context, externalOf: config?.configPath } : context
}

/** A place is a runtime with a name of its own: its engine, with the options of the place. */
function placeOf(registry: Registry, slot: SlotName, choice: PluginChoice): PlaceConfig | null {
  const places = registry.config?.places ?? {}
  const name = readRuntimeName(pluginName(choice)).place
  if (slot !== 'runtime') return null
  return Object.hasOwn(places, name) ? places[name]! : formerPlaceOf(registry, name)
}

/** Only for a name that nothing else has. */
function formerPlaceOf(registry: Registry, name: string): PlaceConfig | null {
  const { config, context, former } = registry
  const isPlugin = BUILTIN_PLUGINS.some((one) => one.slot === 'runtime' && one.name === name)
  if (config === null || isPlugin || registry.entries.has(keyOf('runtime', name))) return null
  const place = former.get(name) ?? formerPlace(config, context, name)
  if (place) former.set(name, place)
  return place
}

function getPlace<S extends SlotName>(
  registry: Registry,
  slot: S,
  runtime: string,
  place: PlaceConfig,
): SlotMap[S] | null {
  const { type, options, ...choice } = splitPlace(place)
  const entry = registry.entries.get(keyOf(slot, type))
  if (!entry) return null
  const { place: name, overProtocol } = readRuntimeName(runtime)
  const context = { ...contextOf(registry, entry), place: { name, overProtocol, ...choice } }
  return instanceOf(entry, options, context) as SlotMap[S]
}

/** What was started there was consented to with these options; the code of an external engine is consented to when it is loaded. */
async function engineOf(
  registry: Registry,
  type: string,
  options: Record<string, unknown>,
  configDir: string,
): Promise<PlaceEngine> {
  await ensure(registry, 'runtime', type)
  const entry = registry.entries.get(keyOf('runtime', type)) ?? refuse(registry, 'runtime', type)
  const { engine } = entry.plugin
  if (engine) return engine(options, { ...registry.context, configDir })
  throw new AoError('PLUGIN_INVALID', `The runtime ${type} has no engine of places`, {
    hint: 'Define it with definePlaceEngine() from ao-fleet/plugin',
  })
}

function refuse(registry: Registry, slot: SlotName, name: string): never {
  throw missingPlugin({ slot, name, available: namesIn(registry, slot), failed: registry.failed })
}

/** A plugin that cannot be loaded is reported when it is used; it must not stop the others. */
async function loadAll(registry: Registry, only?: SlotName): Promise<void> {
  const wanted = BUILTIN_PLUGINS.filter(({ slot }) => only === undefined || slot === only)
  await Promise.allSettled(wanted.map(({ slot, name }) => ensure(registry, slot, name)))
}

function namesIn(registry: Registry, slot: SlotName): string[] {
  const loaded = [...registry.entries.values()].map(({ plugin }) => plugin.manifest)
  return [...new Set([...BUILTIN_PLUGINS, ...loaded].filter((one) => one.slot === slot).map(({ name }) => name))]
}

function keyOf(slot: SlotName, name: string): string {
  return `${slot}:${name}`
}

function choiceKey(slot: SlotName, choice: PluginChoice): string {
  return keyOf(slot, typeof choice === 'string' ? choice : JSON.stringify(choice))
}
