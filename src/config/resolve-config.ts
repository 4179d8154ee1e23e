// From the file's content, parsed or cached, to what the program works with: variables, absolute paths, prefixes,
// and what the environment says instead.
import { dirname, resolve } from 'node:path'
import { CONFIG } from '../contract/config/keys.ts'
import type { ConfigFile, OrchestratorConfig, ProjectConfig, ProjectFile } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import { deriveSessionPrefix } from '../contract/ids.ts'
import { entriesOf } from '../core/config/entries.ts'
import { VERBATIM_KEYS } from '../core/config/find-consent.ts'
import type { KeyPath } from '../core/config/key-path.ts'
import { isHeldByAo, SESSION_VARIABLES } from '../core/session/agent-environment.ts'
import { expandEnv } from '../core/text/expand-env.ts'
import { findExecutable } from '../lib/find-executable.ts'
import { userHome } from '../lib/process/own-home.ts'
import type { ConfigProblem } from './config-problems.ts'
import { hasRemote } from './init/has-remote.ts'

export interface ResolveRequest {
  file: ConfigFile
  /** See `OrchestratorConfig.asks`. */
  asks?: ConfigFile | undefined
  configPath: string
  env: NodeJS.ProcessEnv
  home: string
}

export function resolveConfig(request: ResolveRequest): { config: OrchestratorConfig } | { problems: ConfigProblem[] } {
  const { asks, configPath, env, file: source } = request
  const { file, problems } = interpolateConfig(applyEnvironment(source, env), env)
  const projects = Object.entries(file.projects).map(([id, project]) =>
    resolveProject(id, project, { ...request, file }, problems),
  )
  problems.push(...findDuplicatePrefixes(projects), ...findPlaceProblems(file), ...findFallbackProblems(file))
  if (problems.length > 0) return { problems }
  return {
    config: {
      ...file,
      ...resolveAccounts(file, request),
      configPath,
      defaults: resolveDefaults(file, env),
      projects: Object.fromEntries(projects.map((project) => [project.id, project])),
      source,
      asks,
    },
  }
}

/** Names of runtimes: a place of the same name would hide one. */
const RUNTIMES = ['tmux', 'process', 'acp', 'docker', 'ssh', 'slurm', 'kubernetes']

function findPlaceProblems({ places = {}, projects }: ConfigFile): ConfigProblem[] {
  const shadowing = Object.keys(places)
    .filter((name) => RUNTIMES.includes(name))
    .map((name) => ({ path: ['places', name], message: `is the name of a runtime; call the place something else` }))
  const unknown = Object.entries(projects).flatMap(([id, { place = [] }]) =>
    [place]
      .flat()
      .filter((name) => !Object.hasOwn(places, name))
      .map((name) => ({ path: ['projects', id, 'place'], message: `names ${name}, which is not among \`places\`` })),
  )
  return [...shadowing, ...unknown]
}

function findFallbackProblems({ accounts = {}, defaults, projects }: ConfigFile): ConfigProblem[] {
  const lists = [
    { path: ['defaults', 'fallback'], names: defaults.fallback ?? [] },
    ...Object.entries(projects).map(([id, { fallback = [] }]) => ({
      path: ['projects', id, 'fallback'],
      names: fallback,
    })),
  ]
  const hint = 'write it there, with `agent` for another agent'
  return lists.flatMap(({ path, names }) =>
    names
      .filter((name) => !Object.hasOwn(accounts, name))
      .map((name) => ({ path, message: `names ${name}, which is not among \`accounts\`; ${hint}` })),
  )
}

/** Programs do not know what ~ means: a directory is written as people write it, and given as a path. */
function resolveAccounts(
  { accounts }: ConfigFile,
  { configPath, home }: ResolveRequest,
): Pick<OrchestratorConfig, 'accounts'> {
  if (accounts === undefined) return {}
  const base = dirname(configPath)
  const expand = (value: string) => (/^~(?:\/|$)/.test(value) ? resolveUserPath(value, { home, base }) : value)
  const entries = Object.entries(accounts).map(([name, account]) => {
    const { env } = account.agentConfig ?? {}
    if (env === undefined) return [name, account] as const
    const expanded = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, expand(value)]))
    return [name, { ...account, agentConfig: { ...account.agentConfig, env: expanded } }] as const
  })
  return { accounts: Object.fromEntries(entries) }
}

function resolveDefaults(file: ConfigFile, env: NodeJS.ProcessEnv): OrchestratorConfig['defaults'] {
  const { defaults, plugins } = file
  return {
    ...defaults,
    runtime: defaults.runtime ?? plugins.runtime?.name ?? (findExecutable('tmux', { env }) ? 'tmux' : 'process'),
    agent: defaults.agent ?? plugins.agent?.name ?? 'claude-code',
    workspace: defaults.workspace ?? plugins.workspace?.name ?? 'worktree',
  }
}

function resolveProject(
  id: string,
  project: ProjectFile,
  request: ResolveRequest,
  problems: ConfigProblem[],
): ProjectConfig {
  const path = resolveProjectPath(id, project.path, request, problems)
  return {
    ...embeddedForge(project, path, request.file),
    ...project,
    ...environmentOf(project, request.file),
    id,
    name: project.name ?? id,
    path,
    sessionPrefix: project.sessionPrefix ?? deriveSessionPrefix(id),
  }
}

/** Tools denied globally are denied everywhere; a project's own list replaces the global one. */
function environmentOf(project: ProjectFile, { defaults }: ConfigFile): Pick<ProjectFile, 'environment'> {
  const [own, ofAll] = [project.environment, defaults.environment]
  if (own === undefined && ofAll === undefined) return {}
  const allow = own?.allow ?? ofAll?.allow
  const deny = [...(ofAll?.deny ?? []), ...(own?.deny ?? [])]
  return { environment: { ...(allow === undefined ? {} : { allow }), deny } }
}

/** Without a remote there is no server to query: issues and pull requests live on this machine. */
function embeddedForge(project: ProjectFile, path: string, { plugins }: ConfigFile): Partial<ProjectFile> {
  const needsTracker = project.tracker === undefined && plugins.tracker === undefined
  const needsScm = project.scm === undefined && plugins.scm === undefined
  if (project.repo !== undefined || !(needsTracker || needsScm) || hasRemote(path) !== false) return {}
  return { ...(needsTracker ? { tracker: 'local' } : {}), ...(needsScm ? { scm: 'local' } : {}) }
}

function resolveProjectPath(
  id: string,
  path: string,
  { configPath, home }: ResolveRequest,
  problems: ConfigProblem[],
): string {
  const problem = path === '' ? 'must not be empty' : /^~[^/]/.test(path) ? 'only ~/ is known, not ~user' : null
  if (problem !== null) problems.push({ path: ['projects', id, 'path'], message: problem })
  return resolveUserPath(path, { home, base: dirname(configPath) })
}

/** A path as people write it: `~/x`, relative to `base`, or absolute. */
export function resolveUserPath(path: string, options: { home: string; base: string }): string {
  if (path === '~') return userHome(options.home)
  if (path.startsWith('~/')) return resolve(userHome(options.home), path.slice(2))
  return resolve(options.base, path)
}

/** Two projects with the same prefix would both create `app-1`, on the same tmux server. */
function findDuplicatePrefixes(projects: ProjectConfig[]): ConfigProblem[] {
  const owners = new Map<string, string>()
  return projects.flatMap(({ id, sessionPrefix }): ConfigProblem[] => {
    const owner = owners.get(sessionPrefix)
    if (owner === undefined) {
      owners.set(sessionPrefix, id)
      return []
    }
    const message = `projects ${owner} and ${id} both have the session prefix ${sessionPrefix}; give one of them its own sessionPrefix`
    return [{ path: ['projects', id, 'sessionPrefix'], message }]
  })
}

export interface Interpolated {
  file: ConfigFile
  problems: ConfigProblem[]
}

function interpolateConfig(file: ConfigFile, env: NodeJS.ProcessEnv): Interpolated {
  const problems: ConfigProblem[] = []
  return { file: interpolate(file, [], env, problems) as ConfigFile, problems }
}

function interpolate(value: unknown, path: KeyPath, env: NodeJS.ProcessEnv, problems: ConfigProblem[]): unknown {
  if (typeof value === 'string') return expandText(value, path, env, problems)
  if (Array.isArray(value)) return value.map((item, index) => interpolate(item, [...path, index], env, problems))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    VERBATIM_KEYS.has(key) ? inner : interpolate(inner, [...path, key], env, problems),
  ])
  return Object.fromEntries(entries)
}

/** Known only when a session starts: they stay as they are until then. */
const OF_THE_SESSION = Object.fromEntries(
  [...SESSION_VARIABLES, ...Array.from({ length: 99 }, (_, index) => `AO_SESSION_PORT_${index + 1}`)].map((name) => [
    name,
    `\${${name}}`,
  ]),
)

function isAgentVariable(path: KeyPath): boolean {
  return path.at(-2) === 'env' && path.at(-3) === 'agentConfig'
}

function expandText(text: string, path: KeyPath, env: NodeJS.ProcessEnv, problems: ConfigProblem[]): string {
  if (!text.includes('${')) return text
  const expanded = expandEnv(text, isAgentVariable(path) ? { ...env, ...OF_THE_SESSION } : env)
  // Agents do not get these: their `ao` leaves the placeholders alone and uses none of them.
  if (env.AO_SESSION && isHeldByAo(path) && expanded.problems.some(({ kind }) => kind === 'unset')) return text
  for (const problem of expanded.problems) {
    const message =
      problem.kind === 'unset'
        ? `the environment variable ${problem.name} is not set; set it, or give a default: \${${problem.name}:-default}`
        : `${problem.text} is not a variable; write $$\{ for a literal $\{`
    problems.push({ path, message })
  }
  return expanded.value
}

export interface VariableKey {
  variable: string
  path: readonly string[]
  read(text: string): unknown
}

export const VARIABLE_KEYS: readonly VariableKey[] = entriesOf(CONFIG).flatMap(({ path, entry }) =>
  entry.kind === 'key' && entry.variable !== undefined && entry.value.fromText
    ? [{ variable: entry.variable, path, read: entry.value.fromText }]
    : [],
)

/** An empty variable counts as not set. Throws USAGE for a value that the key cannot have. */
function applyEnvironment(file: ConfigFile, env: NodeJS.ProcessEnv): ConfigFile {
  const changed = variablesSet(env).reduce<Record<string, unknown>>(
    (content, { path, value }) => withValue(content, path, value),
    file,
  )
  return changed as ConfigFile
}

export function variablesSet(env: NodeJS.ProcessEnv): Array<VariableKey & { value: unknown }> {
  return VARIABLE_KEYS.flatMap((key) => {
    const text = env[key.variable]
    return text ? [{ ...key, value: readVariable(key, text) }] : []
  })
}

function readVariable({ variable, read }: VariableKey, text: string): unknown {
  try {
    return read(text)
  } catch (error) {
    throw new AoError('USAGE', `The environment variable ${variable} ${(error as Error).message}`, {
      hint: `Correct it, or remove it: unset ${variable}`,
      details: { variable },
    })
  }
}

function withValue(content: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [key, ...rest] = path
  if (key === undefined) return content
  const inner = (content[key] ?? {}) as Record<string, unknown>
  return { ...content, [key]: rest.length === 0 ? value : withValue(inner, rest, value) }
}
