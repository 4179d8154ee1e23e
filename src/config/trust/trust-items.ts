// What in a configuration runs code: commands, programs and plugins that a repository could bring along. Each with a hash
// of its exact content and the place it stands in, so that trust in it ends when any of this changes.
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import type { AgentConfig, ConfigFile, OrchestratorConfig, ProjectFile } from '../../contract/config.ts'
import { enabledExternals } from './enabled-externals.ts'
import { hashDirectory } from './hash-directory.ts'
import { type ResolvedExternal, resolveExternal } from './resolve-external.ts'

export const TRUST_KINDS = ['postCreate', 'plugin', 'agent-command', 'ci'] as const
export type TrustKind = (typeof TRUST_KINDS)[number]

export interface TrustItem {
  kind: TrustKind
  /** undefined: it concerns every project of the configuration. */
  project?: string
  configPath: string
  /** What a person reads before they agree. */
  what: string
  hash: string
}

export function trustItems(config: OrchestratorConfig, options: { home: string }): TrustItem[] {
  const place = { configDir: dirname(config.configPath), home: options.home }
  return [
    ...commandItems(config),
    ...enabledExternals(config).flatMap((external) => {
      try {
        const resolved = resolveExternal(external, place)
        return resolved.installedByUser ? [] : [pluginItem(config.configPath, resolved)]
      } catch {
        // What cannot be found or hashed is never loaded; the registry tells why.
        return []
      }
    }),
  ]
}

export function pluginItem(configPath: string, resolved: ResolvedExternal): TrustItem {
  return item({
    kind: 'plugin',
    configPath,
    what: `plugin ${resolved.label}: the code in ${resolved.root}`,
    content: [resolved.root, resolved.entry, hashDirectory(resolved.root)],
  })
}

function commandItems(config: OrchestratorConfig): TrustItem[] {
  // The file's own words: a variable's value is the user's, may be secret and may change every day.
  const file: Pick<ConfigFile, 'defaults' | 'projects' | 'plugins'> = config.source ?? config
  const { configPath } = config
  const ofProjects = Object.entries(file.projects).flatMap(([id, project]) => [
    ...postCreateItems(configPath, id, project.postCreate ?? []),
    ...agentItems(configPath, project, id),
    ...ciItems(configPath, project.scm, id),
  ])
  return [...agentItems(configPath, file.defaults), ...ciItems(configPath, file.plugins.scm?.config), ...ofProjects]
}

/** Commands that a forge on this machine runs on the commits of its pull requests. */
function ciItems(configPath: string, scm: ProjectFile['scm'] | Record<string, unknown>, project?: string): TrustItem[] {
  if (typeof scm !== 'object' || !('ci' in scm) || scm.ci === undefined) return []
  const content = JSON.stringify(scm.ci)
  const where = project === undefined ? 'every project' : `project ${project}`
  const what = `${where} runs as CI on the commits of its pull requests: ${content}`
  const ofProject = project === undefined ? {} : { project }
  return [item({ kind: 'ci', ...ofProject, configPath, what, content: [content] })]
}

function postCreateItems(configPath: string, project: string, commands: readonly string[]): TrustItem[] {
  if (commands.length === 0) return []
  const lines = commands.map((command) => JSON.stringify(command)).join(', ')
  const what = `project ${project} runs in every new worktree: ${lines}`
  return [item({ kind: 'postCreate', project, configPath, what, content: commands })]
}

interface AgentSettings {
  agentConfig?: AgentConfig | undefined
  worker?: { agentConfig?: AgentConfig | undefined } | undefined
  orchestrator?: { agentConfig?: AgentConfig | undefined } | undefined
}

function agentItems(configPath: string, settings: AgentSettings, project?: string): TrustItem[] {
  const roles = [
    ['agent', settings.agentConfig],
    ['worker', settings.worker?.agentConfig],
    ['orchestrator', settings.orchestrator?.agentConfig],
  ] as const
  return roles.flatMap(([role, agentConfig]) => {
    const { command, acpCommand, args, env } = agentConfig ?? {}
    // An agent that never asks runs whatever the repository's own text talks it into.
    const permissions = neverAsks(agentConfig?.permissions) ? agentConfig?.permissions : undefined
    if ([command, acpCommand, args, env, permissions].every((value) => value === undefined)) return []
    const content = JSON.stringify({ command, acpCommand, args, env, permissions })
    const where = project === undefined ? 'every project' : `project ${project}`
    const what = `${where} starts its ${role} with ${content}`
    const ofProject = project === undefined ? {} : { project }
    return [item({ kind: 'agent-command', ...ofProject, configPath, what, content: [role, content] })]
  })
}

function neverAsks(permissions: string | undefined): boolean {
  return permissions === 'skip' || permissions === 'permissionless'
}

function item({ content, ...rest }: Omit<TrustItem, 'hash'> & { content: readonly string[] }): TrustItem {
  const { kind, project = null, configPath } = rest
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, project, configPath, content]))
    .digest('hex')
  return { ...rest, what: visible(rest.what), hash }
}

/** Nothing may hide from the reader: escape sequences, text that runs backwards, spaces without width. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}
