// The code of an external plugin, imported only after the user has consented to exactly this content.
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ResolvedExternal, resolveExternal } from '../config/trust/resolve-external.ts'
import { isTrusted, isTrustedByLocation } from '../config/trust/trust.ts'
import { pluginItem } from '../config/trust/trust-items.ts'
import type { ExternalPlugin } from '../contract/config.ts'
import { AoError, errorText } from '../contract/errors.ts'
import { SLOT_NAMES } from '../contract/slot-names.ts'
import type { Plugin } from '../slots/plugin.ts'
import { offerOwnModules } from './offer-own-modules.ts'

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
