// Everything in a configuration that needs the user's consent: its wording, and the content that consent is bound to.

import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { CONSENT_KINDS, type ConsentKind } from '../../contract/config/consent.ts'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import {
  type ConsentFinding,
  describeFinding,
  type FindingGroup,
  findConsent,
  type Wording,
} from '../../core/config/find-consent.ts'
import { namesVariable } from '../../core/text/expand-env.ts'
import { showHidden } from '../../core/text/show-hidden.ts'
import { isInside, realPathOf } from '../../lib/inside-directory.ts'
import { isOwnRepository } from '../init/has-remote.ts'
import { resolveUserPath } from '../resolve-config.ts'
import { hashDirectory } from './hash-directory.ts'
import { enabledExternals, type ResolvedExternal, resolveExternal } from './resolve-external.ts'

export interface ItemOptions {
  home: string
  /** Only these; hashing the code of plugins takes a while. */
  kinds?: readonly ConsentKind[]
}

export function trustItems(config: OrchestratorConfig, options: ItemOptions): TrustItem[] {
  const kinds = options.kinds ?? CONSENT_KINDS
  // The file's literal text: a variable's value is the user's, may be secret and may change every day.
  const findings = findingsOf(config).filter(({ kind }) => kinds.includes(kind))
  return [...findingItems(config, findings, options), ...(kinds.includes('plugin') ? pluginItems(config, options) : [])]
}

/** By the content of a file, which never changes in memory: a changed file is read into a new object. */
const walked = new WeakMap<object, readonly ConsentFinding[]>()

function findingsOf(config: OrchestratorConfig): readonly ConsentFinding[] {
  const file = config.asks ?? config.source
  if (file === undefined) return findingsIn(writtenPart(config))
  const cached = walked.get(file) ?? findingsIn(file)
  walked.set(file, cached)
  return cached
}

/** Which repository it is depends on the user's environment: then that is what is asked about. */
function findingsIn(file: unknown): ConsentFinding[] {
  return findConsent(file).map((one) =>
    one.path.at(-1) === 'repo' && namesVariable(String(one.value)) ? { ...one, kind: 'environment' } : one,
  )
}

/** A programmatically created configuration has no file: its own values count. */
function writtenPart({ configPath: _, asks: _asks, projects, ...file }: OrchestratorConfig): unknown {
  const written = Object.entries(projects).map(([key, { id: _id, ...project }]) => [key, project])
  return { ...file, projects: Object.fromEntries(written) }
}

function findingItems(config: OrchestratorConfig, findings: ConsentFinding[], { home }: ItemOptions): TrustItem[] {
  return gather(findings).flatMap((group) => {
    if (group.kind === 'plugin') return []
    if (isRepository(group) && isOwnRepository(config, group.at[1]!)) return []
    const outside = group.kind === 'outside' ? findOutside(config, group, home) : undefined
    return outside === null ? [] : [itemOf(config.configPath, describeFinding(group, outside))]
  })
}

function itemOf(configPath: string, { kind, project, at, what, content }: Wording): TrustItem {
  return makeItem({ kind, project, configPath, at, what, content })
}

/** Related keys of one section are consented to together. */
const TOGETHER: readonly ConsentKind[] = ['agent-command', 'listen', 'send', 'place', 'automatic']

/** Matters of their own. */
const ALONE = ['forwardOutsiders', 'fallback']

function gather(findings: ConsentFinding[]): FindingGroup[] {
  const groups = new Map<string, FindingGroup>()
  for (const { kind, path, value } of findings) {
    const at = path.slice(0, -1)
    const key = path.at(-1) ?? ''
    const id = JSON.stringify([kind, TOGETHER.includes(kind) && !ALONE.includes(key) ? at : path])
    const group = groups.get(id) ?? { kind, at, values: {} }
    groups.set(id, { ...group, values: { ...group.values, [key]: value } })
  }
  return [...groups.values()]
}

function pluginItems(config: OrchestratorConfig, { home }: ItemOptions): TrustItem[] {
  if (!config.plugins.external?.length) return []
  const location = { configDir: dirname(config.configPath), home }
  return enabledExternals(config).flatMap(({ external, isUsers, written }) => {
    if (isUsers) return []
    try {
      const resolved = resolveExternal(external, location)
      // The code of a user's own plugin is theirs, the options that a repository gives it are not.
      if (resolved.installedByUser && Object.keys(written).length === 0) return []
      return [pluginItem(config.configPath, resolved, written)]
    } catch {
      // Anything that cannot be found or hashed is never loaded; the registry reports why.
      return []
    }
  })
}

/** `options`: what the repository's file gives it. Without any, the hash is that of the first version. */
export function pluginItem(
  configPath: string,
  resolved: ResolvedExternal,
  options: Record<string, unknown>,
): TrustItem {
  const given = Object.keys(options).length === 0 ? [] : [JSON.stringify(options)]
  const code = resolved.installedByUser ? [] : [hashDirectory(resolved.root)]
  const what = resolved.installedByUser ? 'which you have installed' : `the code in ${resolved.root}`
  return makeItem({
    kind: 'plugin',
    configPath,
    at: ['plugins', 'external'],
    what: `plugin ${resolved.label}: ${what}${given.map((text) => `, with the options ${text}`).join('')}`,
    content: [resolved.root, resolved.entry, ...code, ...given],
  })
}

function isRepository({ kind, at, values }: FindingGroup): boolean {
  return kind === 'send' && at[0] === 'projects' && at.length === 2 && 'repo' in values
}

/** The real path, or null when it stays inside: the project in the configuration's directory, its rules in the project. */
function findOutside(config: OrchestratorConfig, { at, values }: FindingGroup, home: string): string | null {
  const [key = ''] = Object.keys(values)
  const configDir = dirname(config.configPath)
  const project = at[0] === 'projects' ? config.projects[at[1] ?? ''] : undefined
  if (key === 'path' && project) return leavingPath(configDir, project.path)
  if (key === 'agentRulesFile' && project) return leavingPath(project.path, rulesFile(project))
  const written = valueAt(config, [...at, key])
  return leavingPath(configDir, resolveUserPath(String(written), { home, base: configDir }))
}

function rulesFile(project: Pick<ProjectConfig, 'path' | 'agentRulesFile'>): string {
  return resolve(project.path, project.agentRulesFile ?? '')
}

function leavingPath(directory: string, path: string): string | null {
  const [root, real] = [realPathOf(directory), realPathOf(path)]
  return root !== null && real !== null && isInside(root, real) ? null : (real ?? path)
}

/** With variables replaced, as it will be used. */
function valueAt(config: unknown, path: readonly string[]): unknown {
  return path.reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], config)
}

export interface TrustItem {
  kind: ConsentKind
  /** undefined: it concerns every project of the configuration. */
  project?: string | undefined
  configPath: string
  /** The key in the configuration, or the file in the repository. */
  at: readonly string[]
  /** What a person reads before consenting, on one line. */
  what: string
  /** The whole content, line by line, where one line is not enough. */
  lines?: string[] | undefined
  hash: string
}

export interface ItemContent extends Omit<TrustItem, 'hash'> {
  content: readonly string[]
}

export function makeItem({ content, ...rest }: ItemContent): TrustItem {
  const { kind, project = null, configPath } = rest
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, project, configPath, content]))
    .digest('hex')
  return { ...rest, lines: rest.lines?.map(showHidden), what: showHidden(rest.what), hash }
}
