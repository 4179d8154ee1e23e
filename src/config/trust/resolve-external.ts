// Where the code of an external plugin is and whose it is. Reads names and package.json only; nothing is run.
import { realpathSync, statSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import type { ExternalPlugin, OrchestratorConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { isInside, pathInside } from '../../lib/inside-directory.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import { resolveUserPath } from '../resolve-config.ts'

export interface ExternalLocation {
  /** Directory of the configuration file. */
  configDir: string
  home: string
}

export interface ResolvedExternal {
  /** As named in the configuration. */
  label: string
  /** The directory whose whole content is the plugin. */
  root: string
  /** The file to import. */
  entry: string
  /** The user's own plugin directory, `~/.ao/plugins`, needs no further consent. */
  installedByUser: boolean
}

const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i
const USUAL_ENTRIES = ['dist/index.js', 'index.js', 'index.mjs', 'index.ts']

export function resolveExternal(external: ExternalPlugin, location: ExternalLocation): ResolvedExternal {
  const label = external.package ?? external.path ?? ''
  const found = external.package === undefined ? findPath(label, location) : findPackage(label, location)
  const isFile = statSync(found).isFile()
  const root = realpathSync(isFile ? dirname(found) : found)
  const entry = isFile ? realpathSync(found) : findEntry(label, root)
  if (!isInside(root, entry)) throw invalid(label, `its entry ${entry} lies outside of ${root}`)
  return { label, root, entry, installedByUser: pathInside(userPluginDirectory(location.home), root) !== null }
}

/** Where `npm install --prefix` puts plugins for all of the user's projects. */
function userPluginDirectory(home: string): string {
  return join(home, '.ao', 'plugins')
}

function findPath(path: string, { configDir, home }: ExternalLocation): string {
  const found = resolveUserPath(path, { home, base: configDir })
  if (isThere(found)) return found
  throw missing(path, [found])
}

function findPackage(name: string, { configDir, home }: ExternalLocation): string {
  if (!PACKAGE_NAME.test(name)) throw invalid(name, 'this is not the name of a package')
  const candidates = [userPluginDirectory(home), ...directoriesFrom(configDir)].map((directory) =>
    join(directory, 'node_modules', name),
  )
  const found = candidates.find(isThere)
  if (found !== undefined) return found
  throw missing(name, candidates.slice(0, 2))
}

function directoriesFrom(start: string): string[] {
  const parent = dirname(start)
  return parent === start ? [start] : [start, ...directoriesFrom(parent)]
}

function findEntry(label: string, root: string): string {
  const named = entriesOfPackage(label, root)
  const entry = [...named, ...USUAL_ENTRIES].map((one) => join(root, one)).find((path) => isThere(path) && isFile(path))
  if (entry === undefined) throw invalid(label, `${root} has no entry file`)
  return realpathSync(entry)
}

function entriesOfPackage(label: string, root: string): string[] {
  const file = join(root, 'package.json')
  if (!isThere(file)) return []
  try {
    const manifest = JSON.parse(readPlainText(file)) as Record<string, unknown> | null
    const exported = entryOfExports(manifest?.exports)
    return [exported, manifest?.module, manifest?.main].filter((one) => typeof one === 'string')
  } catch (error) {
    throw invalid(label, `${file} cannot be read`, error)
  }
}

/** `exports` as a text, as `{ ".": … }`, or as conditions, in any nesting. */
function entryOfExports(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports
  if (typeof exports !== 'object' || exports === null) return undefined
  const conditions = exports as Record<string, unknown>
  for (const condition of ['.', 'import', 'node', 'default']) {
    const entry = entryOfExports(conditions[condition])
    if (entry !== undefined) return entry
  }
  return undefined
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Inaccessible counts as missing.
    return false
  }
}

function isFile(path: string): boolean {
  return statSync(path).isFile() && extname(path) !== '.json'
}

function missing(label: string, looked: string[]): AoError {
  return new AoError('PLUGIN_NOT_FOUND', `The plugin ${label} is not there: looked for ${looked.join(' and ')}`, {
    hint: 'Install it, or correct plugins.external in the configuration',
    details: { plugin: label, looked },
  })
}

function invalid(label: string, why: string, cause?: unknown): AoError {
  return new AoError('PLUGIN_INVALID', `The plugin ${label} cannot be used: ${why}`, {
    details: { plugin: label },
    cause,
  })
}

export interface EnabledExternal {
  external: ExternalPlugin
  /** Named in the user's own file, not in the repository's. */
  isUsers: boolean
  /** Its options as they are written, variables not replaced: consent is given to these. */
  written: Record<string, unknown>
}

export function enabledExternals(config: OrchestratorConfig): EnabledExternal[] {
  const all = config.plugins.external ?? []
  // The user's come first where both files name some.
  const ofUser = config.asks === undefined ? 0 : all.length - (config.asks.plugins.external?.length ?? 0)
  const ofRepository = (config.asks ?? config.source ?? config).plugins.external ?? []
  return all
    .map((external, index) => ({
      external,
      isUsers: index < ofUser,
      written: ofRepository[index - ofUser]?.config ?? external.config ?? {},
    }))
    .filter(({ external }) => external.enabled !== false)
}
