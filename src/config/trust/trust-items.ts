// Everything in a configuration that needs the user's consent: its wording, and the content that consent is bound to.

import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { CONSENT_KINDS, type ConsentKind } from '../../contract/config/consent.ts'
import type { ExternalPlugin, OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import { type ConsentFinding, findConsent } from '../../core/config/find-consent.ts'
import { showHidden } from '../../core/text/show-hidden.ts'
import { isInside, realPathOf } from '../../lib/inside-directory.ts'
import { resolveUserPath } from '../resolve-config.ts'
import { hashDirectory } from './hash-directory.ts'
import { type ResolvedExternal, resolveExternal } from './resolve-external.ts'

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
  if (file === undefined) return findConsent(writtenPart(config))
  const cached = walked.get(file) ?? findConsent(file)
  walked.set(file, cached)
  return cached
}

/** A programmatically created configuration has no file: its own values count. */
function writtenPart({ configPath: _, asks: _asks, projects, ...file }: OrchestratorConfig): unknown {
  const written = Object.entries(projects).map(([key, { id: _id, ...project }]) => [key, project])
  return { ...file, projects: Object.fromEntries(written) }
}

function findingItems(config: OrchestratorConfig, findings: ConsentFinding[], { home }: ItemOptions): TrustItem[] {
  return gather(findings).flatMap((group) => {
    if (group.kind === 'plugin') return []
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

/** Keys of one section of a configuration that are consented to together. */
export interface FindingGroup {
  kind: ConsentKind
  /** The path of that section. */
  at: readonly string[]
  values: Record<string, unknown>
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

export interface Wording {
  kind: ConsentKind
  project?: string | undefined
  at: readonly string[]
  what: string
  content: readonly string[]
}

/** `outside`: the real path, when it leads out of the repository. */
function describeFinding(group: FindingGroup, outside?: string): Wording {
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
        what: `${where} runs as CI on the commits of its pull requests: ${content}`,
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
      return { ...base, what: `${where} ${actsAlone(at)}: ${at.join('.')} ${json}`, content: [at.join('.'), json] }
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
  return owner === 'worker' || owner === 'orchestrator' ? owner : 'agent'
}

function actsAlone(at: readonly string[]): string {
  if (at.at(-1) === 'backlog') return 'starts agents on issues by itself'
  return at.includes('reactions') ? 'merges or restarts agents by itself' : 'lands pull requests by itself'
}

function listener(at: readonly string[]): string {
  return at[0] === 'webhooks' ? `the dashboard takes webhooks of ${at[1]} signed with` : 'the dashboard listens with'
}

function sender(where: string, at: readonly string[]): string {
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
