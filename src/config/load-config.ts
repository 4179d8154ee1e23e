// The configuration from its texts: parsed, validated, layered, resolved. Loads the YAML parser and the schema, so commands
// use load-config-cached.ts, which gets here only when a file has changed.
import { dirname } from 'node:path'
import type { ConfigFile, OrchestratorConfig } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import type { Content, KeyPath } from '../core/config/key-path.ts'
import { type MergedLayers, mergeLayers } from '../core/config/merge-layers.ts'
import { isObject } from '../core/text/json-fields.ts'
import { type ConfigProblem, configInvalid, type Locate } from './config-problems.ts'
import { type ConfigLocation, type ConfigText, type LayerTexts, readLayers, resolveLocation } from './find-config.ts'
import { resolveConfig, resolveUserPath } from './resolve-config.ts'
import { parseYaml, validateConfig } from './validate-config.ts'

export interface ParsedConfig {
  file: ConfigFile
  /** The part of it that the repository's file contributes, which needs consent; absent: all of it. */
  asks?: ConfigFile
  layers: ParsedLayers
}

/** For reports: which file a key is from, and its line there. */
export interface ParsedLayers {
  main: ParsedLayer
  user: ParsedLayer | null
  merged: MergedLayers | null
}

export interface ParsedLayer {
  path: string
  content: Content
  locate: Locate
}

/** Without arguments: the configuration of the current directory. Throws AoError and nothing else. */
export function loadConfig(location: ConfigLocation = {}): OrchestratorConfig {
  return loadParsed(location).config
}

/** The configuration with what a report about it needs: the files it is made of, and where each key is. */
export function loadParsed(location: ConfigLocation): { config: OrchestratorConfig; parsed: ParsedConfig } {
  const parsed = parseConfig(readLayers(location), resolveLocation(location).home)
  return { config: completeConfig(parsed, location), parsed }
}

/** Throws CONFIG_INVALID with lines when a variable is missing or something is inconsistent. */
export function completeConfig(parsed: ParsedConfig, location: ConfigLocation): OrchestratorConfig {
  const { file, asks, layers } = parsed
  const resolved = resolveConfig({ file, asks, configPath: layers.main.path, ...resolveLocation(location) })
  if ('problems' in resolved) throw invalidLayer(layers, resolved.problems)
  return resolved.config
}

export function parseConfig(texts: LayerTexts, home: string): ParsedConfig {
  const main = parseLayer(texts.main)
  if (texts.isUsersOnly && main.content.projects === undefined) throw onlySettings(texts.main.path)
  const own = validated(main, main.content)
  if (texts.user === null) return { file: own, layers: { main, user: null, merged: null } }
  const user = parseLayer(texts.user)
  validated(user, { projects: {}, ...user.content })
  const merged = mergeLayers(userBase(user.content, { path: user.path, home }), main.content)
  const content = { ...merged.content, projects: merged.content.projects ?? {} }
  return {
    file: validated(main, content),
    asks: validated(main, { ...merged.asks, projects: content.projects }),
    layers: { main, user, merged },
  }
}

/** The user's settings as the base of another file: a path in them is relative to the user's file. */
function userBase(content: Content, location: { path: string; home: string }): Content {
  const { plugins } = content
  if (!isObject(plugins)) return content
  const base = dirname(location.path)
  const absolute = (value: unknown) =>
    // A variable is replaced later; it is the user's to make it an absolute path.
    typeof value === 'string' && !value.startsWith('${') ? resolveUserPath(value, { home: location.home, base }) : value
  const external = Array.isArray(plugins.external)
    ? plugins.external.map((one) => change(one, ['path'], absolute))
    : plugins.external
  const workspace = change(plugins.workspace, ['config'], (config) =>
    change(config, ['worktreeDir', 'cloneDir'], absolute),
  )
  const changed = Object.entries({ ...plugins, external, workspace }).filter(([, value]) => value !== undefined)
  return { ...content, plugins: Object.fromEntries(changed) }
}

/** The same with some of its values changed, where it has them. */
function change(value: unknown, keys: readonly string[], action: (inner: unknown) => unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, keys.includes(key) ? action(inner) : inner]),
  )
}

function parseLayer({ path, text }: ConfigText): ParsedLayer {
  const { value, locate } = parseYaml(path, text)
  // Something other than keys is for the schema to refuse.
  return { path, content: (value ?? {}) as Content, locate }
}

function validated(layer: ParsedLayer, content: Content): ConfigFile {
  const result = validateConfig(content)
  if ('problems' in result) throw configInvalid(layer.path, result.problems, layer.locate)
  // Through JSON, so that cached and freshly parsed content can never differ.
  return JSON.parse(JSON.stringify(result.file)) as ConfigFile
}

/** The user's file may hold no more than settings for all repositories. */
function onlySettings(path: string): AoError {
  return new AoError(
    'CONFIG_NOT_FOUND',
    `There is no agent-orchestrator.yaml here or above, and ${path} has settings but no projects`,
    { details: { global: [path] } },
  )
}

/** The problems of the file that the first of them is in. */
export function invalidLayer(layers: ParsedLayers, problems: readonly ConfigProblem[]): AoError {
  const layer = layerOf(layers, problems[0]!.path)
  const own = problems.filter(({ path }) => layerOf(layers, path) === layer)
  return configInvalid(layer.path, own, layer.locate)
}

/** The file that decides about a key, for a report about it. */
function layerOf({ main, user, merged }: ParsedLayers, path: KeyPath): ParsedLayer {
  if (user === null || merged === null) return main
  const keys = path.map(String)
  const [layer] = originOf(merged, keys)
  return layer === 'user' ? user : main
}

/** Where the value at this path was written; empty: in neither file. */
export function originOf(merged: MergedLayers, path: readonly string[]): Array<'user' | 'repository'> {
  if (merged.overruled.some((one) => isAt(one, path))) return ['user']
  const found = merged.origins.filter((one) => isAt(one.path, path)).sort((a, b) => b.path.length - a.path.length)[0]
  return found?.layers ?? []
}

function isAt(path: readonly string[], inner: readonly string[]): boolean {
  return path.length <= inner.length && path.every((key, index) => key === inner[index])
}
