// What a change of the configuration would do: the new text, what differs, what is wrong with it and what needs consent.
// Reads only.
import { createHash } from 'node:crypto'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { formatKey, type KeyPath, valueAt } from '../../core/config/key-path.ts'
import { HIDDEN, isSecretPath } from '../../core/config/secret-path.ts'
import { type DiffRow, diffRows } from '../../core/text/diff-lines.ts'
import { namesVariable } from '../../core/text/expand-env.ts'
import { overruledKeys } from '../config-origins.ts'
import { readLayers, resolveLocation } from '../find-config.ts'
import { completeConfig, type ParsedConfig, parseConfig } from '../load-config.ts'
import { untrustedItems } from '../trust/trust.ts'
import type { TrustItem } from '../trust/trust-items.ts'
import { parseYaml } from '../validate-config.ts'
import { type ConfigChange, editText } from './edit-text.ts'
import { hideText } from './hide-text.ts'

export interface EditContext {
  configPath: string
  env: NodeJS.ProcessEnv
  home: string
  /** Throws CONFIG_INVALID for plugins that do not exist or do not take their options. */
  checkPlugins(config: OrchestratorConfig, parsed: ParsedConfig): Promise<void>
}

export interface EditProblem {
  key: string
  message: string
  suggestion?: string | undefined
}

export interface EditPlan {
  /** Of the text that was read. */
  revision: string
  before: string
  /** The same as `before` when a problem does not even allow the change. */
  after: string
  rows: DiffRow[]
  problems: EditProblem[]
  /** What the change asks for that the file did not ask for before, without the user's consent. */
  consents: TrustItem[]
  warnings: string[]
}

export function revisionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Throws CONFIG_INVALID when the file as it is cannot be read. */
export async function planEdit(context: EditContext, changes: readonly ConfigChange[]): Promise<EditPlan> {
  const { text: before, path } = readLayers({ ...context, path: context.configPath }).main
  const base = { revision: revisionOf(before), before }
  const refused = { ...base, after: before, rows: [], consents: [], warnings: [] }
  const secrets = changes.flatMap((change) => secretProblems(path, before, change))
  if (secrets.length > 0) return { ...refused, problems: secrets }
  try {
    const after = editText(path, before, changes)
    const rows = diffRows(hideText(before), hideText(after, before))
    const loaded = await tryLoad(context, after)
    if ('problems' in loaded) return { ...base, after, rows, ...loaded, consents: [], warnings: [] }
    return {
      ...base,
      after,
      rows,
      problems: [],
      consents: newConsents(context, loaded.config, before),
      warnings: [...overruled(loaded.parsed, changes), ...plainSecrets(changes)],
    }
  } catch (error) {
    return { ...refused, problems: problemsOf(error) }
  }
}

type Loaded = { config: OrchestratorConfig; parsed: ParsedConfig }

async function load(context: EditContext, text: string): Promise<Loaded> {
  const texts = readLayers({ ...context, path: context.configPath })
  const parsed = parseConfig({ ...texts, main: { ...texts.main, text } }, resolveLocation(context).home)
  const config = completeConfig(parsed, { ...context, path: context.configPath })
  await context.checkPlugins(config, parsed)
  return { config, parsed }
}

async function tryLoad(context: EditContext, text: string): Promise<Loaded | { problems: EditProblem[] }> {
  try {
    return await load(context, text)
  } catch (error) {
    return { problems: problemsOf(error) }
  }
}

/** Of an error about the configuration; others are thrown. */
function problemsOf(error: unknown): EditProblem[] {
  if (!(error instanceof AoError)) throw error
  const { problems } = (error.details ?? {}) as { problems?: EditProblem[] }
  return (
    problems?.map(({ key, message, suggestion }) => ({ key, message, suggestion })) ?? [
      { key: '', message: error.message },
    ]
  )
}

function newConsents(context: EditContext, config: OrchestratorConfig, before: string): TrustItem[] {
  const pending = untrustedItems(config, context)
  if (pending.length === 0) return []
  const earlier = new Set(pendingBefore(context, before))
  return pending.filter(({ hash }) => !earlier.has(hash))
}

/** What a file asked for that nobody agreed to is not agreed to by changing something else in it. */
function pendingBefore(context: EditContext, before: string): string[] {
  try {
    const texts = readLayers({ ...context, path: context.configPath })
    const parsed = parseConfig({ ...texts, main: { ...texts.main, text: before } }, resolveLocation(context).home)
    const config = completeConfig(parsed, { ...context, path: context.configPath })
    return untrustedItems(config, context).map(({ hash }) => hash)
  } catch (error) {
    // A file that was not valid asked for nothing.
    if (error instanceof AoError) return []
    throw error
  }
}

/** Secrets that come from the environment stay there. */
function secretProblems(file: string, text: string, { path, value }: ConfigChange): EditProblem[] {
  return leavesOf(value, path).flatMap((leaf) => {
    const key = formatKey(leaf.path)
    if (leaf.value === HIDDEN) return [{ key, message: 'is hidden: type the new value, or leave it as it is' }]
    if (!isSecretPath(leaf.path) || typeof leaf.value !== 'string' || namesVariable(leaf.value)) return []
    const written = valueAt(parseYaml(file, text).value, leaf.path)
    if (typeof written !== 'string' || !namesVariable(written)) return []
    const message = `takes its value from the environment, ${written}; set that variable, or name another as \${NAME}`
    return [{ key, message }]
  })
}

function plainSecrets(changes: readonly ConfigChange[]): string[] {
  return changes
    .flatMap(({ path, value }) => leavesOf(value, path))
    .filter(({ path, value }) => typeof value === 'string' && isSecretPath(path) && !namesVariable(value))
    .map(({ path }) => `${formatKey(path)} would be in the file as plain text; \${NAME} takes it from the environment`)
}

function overruled({ layers }: ParsedConfig, changes: readonly ConfigChange[]): string[] {
  const keys = new Set(overruledKeys(layers))
  return changes
    .flatMap(({ path, value }) => leavesOf(value, path))
    .map(({ path }) => formatKey(path))
    .filter((key) => keys.has(key))
    .map((key) => `${key} has no effect here: your own file, ${layers.user?.path}, decides about it`)
}

function leavesOf(value: unknown, path: KeyPath): Array<{ path: KeyPath; value: unknown }> {
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [{ path, value }]
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]))
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
}
