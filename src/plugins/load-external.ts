// The code of an external plugin, imported only after the user has consented to exactly this content.

import { registerHooks } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ResolvedExternal, resolveExternal } from '../config/trust/resolve-external.ts'
import { isTrusted, isTrustedByLocation } from '../config/trust/trust.ts'
import { pluginItem } from '../config/trust/trust-items.ts'
import type { ExternalPlugin } from '../contract/config.ts'
import { AoError, errorText } from '../contract/errors.ts'
import { SLOT_NAMES } from '../contract/ids.ts'
import type { Plugin } from '../slots/plugin.ts'

export interface ExternalContext {
  configPath: string
  /** Named in the user's own configuration, which needs no consent. */
  isUsers: boolean
  /** Its options as they are written. */
  written: Record<string, unknown>
  home: string
  env: NodeJS.ProcessEnv
}

export interface LoadedExternal {
  plugin: Plugin
  /** The package's name, or the absolute path of the file. */
  source: string
}

/** A module may have a top-level await; we wait for it no longer than this. */
const IMPORT_TIMEOUT_MS = 10_000

export async function loadExternal(external: ExternalPlugin, context: ExternalContext): Promise<LoadedExternal> {
  const resolved = resolveExternal(external, { configDir: dirname(context.configPath), home: context.home })
  requireTrusted(resolved, context)
  offerOwnModules(resolved.root)
  const module = await importModule(resolved)
  return { plugin: readPlugin(module, resolved.label), source: external.package ?? resolved.entry }
}

function requireTrusted(resolved: ResolvedExternal, context: ExternalContext): void {
  if (context.isUsers || isTrustedByLocation(context.configPath, context)) return
  if (resolved.installedByUser && Object.keys(context.written).length === 0) return
  const item = pluginItem(context.configPath, resolved, context.written)
  if (isTrusted(item, context)) return
  throw new AoError(
    'CONFIG_UNTRUSTED',
    `The plugin ${resolved.label} is not loaded, because you have not trusted it yet`,
    {
      details: { configPath: context.configPath, items: [item] },
    },
  )
}

async function importModule({ label, entry }: ResolvedExternal): Promise<Record<string, unknown>> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it was not loaded in time')), IMPORT_TIMEOUT_MS)
  })
  try {
    return await Promise.race([import(pathToFileURL(entry).href), tooLate])
  } catch (error) {
    throw new AoError('PLUGIN_INVALID', `The plugin ${label} cannot be loaded: ${errorText(error)}`, {
      details: { plugin: label, entry },
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}

/** A named export `plugin` or the default one, as created by `definePlugin`. */
function readPlugin(module: Record<string, unknown>, label: string): Plugin {
  const candidate = (module.plugin ?? module.default) as Partial<Plugin> | undefined
  const faults = findFaults(candidate)
  if (faults.length === 0) return candidate as Plugin
  throw new AoError('PLUGIN_INVALID', `The plugin ${label} is not made as a plugin: ${faults.join('; ')}`, {
    hint: 'Export the result of definePlugin() from ao-fleet/plugin as `plugin`',
    details: { plugin: label, faults },
  })
}

function findFaults(candidate: Partial<Plugin> | undefined): string[] {
  if (typeof candidate !== 'object' || candidate === null) return ['it has no export `plugin` and no default export']
  const { manifest, create, detect } = candidate
  const faults: string[] = []
  if (typeof manifest !== 'object' || manifest === null) return ['it has no manifest']
  if (!(SLOT_NAMES as readonly unknown[]).includes(manifest.slot)) {
    faults.push(`manifest.slot is not one of ${SLOT_NAMES.join(', ')}`)
  }
  for (const key of ['name', 'description', 'version'] as const) {
    if (typeof manifest[key] !== 'string' || manifest[key] === '') faults.push(`manifest.${key} is not a text`)
  }
  if (typeof create !== 'function') faults.push('create is not a function')
  if (detect !== undefined && typeof detect !== 'function') faults.push('detect is not a function')
  return faults
}

// Lets an external plugin import `ao-fleet` and `zod`: it gets those of the ao that loads it, so nothing has to be
// installed next to it.

const isBuilt = !import.meta.url.endsWith('.ts')
const MAIN = isBuilt ? './index.js' : '../index.ts'
const PLUGIN = isBuilt ? './plugin.js' : '../plugin.ts'
const OWN_MODULES: ReadonlyMap<string, string> = new Map([
  ['ao-fleet', MAIN],
  ['ao-fleet/plugin', PLUGIN],
  // The package's former name, which plugins may still use; on npm it belongs to somebody else.
  ['agent-orchestrator', MAIN],
  ['agent-orchestrator/plugin', PLUGIN],
])
/** Our packages that a plugin may use when it brings none itself. */
const LENT_PACKAGES = /^zod(\/|$)/
const offered = new Set<string>()

/** Only for files below `root`; everything else resolves as usual. */
function offerOwnModules(root: string): void {
  const base = `${pathToFileURL(root).href}/`
  if (offered.has(base)) return
  offered.add(base)
  registerHooks({
    resolve(specifier, context, next) {
      if (!context.parentURL?.startsWith(base)) return next(specifier, context)
      const own = OWN_MODULES.get(specifier)
      if (own !== undefined) return { url: new URL(own, import.meta.url).href, shortCircuit: true }
      if (!LENT_PACKAGES.test(specifier)) return next(specifier, context)
      try {
        return next(specifier, context)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
        return next(specifier, { ...context, parentURL: import.meta.url })
      }
    },
  })
}
