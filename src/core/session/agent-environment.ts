// The environment of an agent, a hook or a CI command. Agents get what a terminal would give them, without what ao reads for its own
// use: secrets of notifiers, webhooks, the dashboard, trackers and forges; and words about their session, which `${…}` in
// `agentConfig.env` may name.
import type { ConfigFile, OrchestratorConfig } from '../../contract/config.ts'
import { FORGES } from '../../contract/forges.ts'
import type { Role } from '../../contract/record-values.ts'
import { variableNames } from '../text/expand-env.ts'

/** `environment` in the configuration. A name may end in *. */
export interface EnvironmentRule {
  allow?: readonly string[] | undefined
  deny?: readonly string[] | undefined
}

type Variables = Readonly<Record<string, string | undefined>>

/** Left by an outer tmux or an outer session; they would point the agent at another session. */
const OF_OUR_CALLER = names(`
  TMUX TMUX_PANE AO_* npm_* INIT_CWD NODE_OPTIONS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR
  GIT_OBJECT_DIRECTORY GIT_PREFIX GIT_NAMESPACE
`)

/**
 * Set by coding agents for the commands they run. With these an agent would take itself for part of another one. Settings
 * that people make for their agents (CLAUDE_CODE_USE_BEDROCK, CODEX_HOME, GEMINI_API_KEY, …) are not among them.
 */
const OF_AN_OUTER_AGENT = names(`
  CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SSE_PORT CLAUDE_CODE_SESSION_ID CLAUDE_CODE_EXECPATH
  CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_REMOTE CLAUDE_CODE_REMOTE_* CLAUDE_PROJECT_DIR CLAUDE_ENV_FILE CODEX_SANDBOX
  CODEX_SANDBOX_* CODEX_THREAD_ID CODEX_CI CODEX_INTERNAL_* CODEX_MANAGED_* GEMINI_CLI GEMINI_CLI_NO_RELAUNCH
  GEMINI_CLI_IDE_* QWEN_CODE QWEN_CODE_NO_RELAUNCH QWEN_CODE_IDE_* OPENCODE OPENCODE_PID OPENCODE_RUN_ID
  OPENCODE_PROCESS_ROLE CURSOR_AGENT CURSOR_TRACE_ID AGENT AI_AGENT GOOSE_TERMINAL CRUSH COPILOT_CLI CLINE_ACTIVE
  ROO_ACTIVE AGH_SESSION_* AGH_AGENT AGH_HOOK_EVENT
`)

/** What programs need to run at all, and to find their toolchains. No secrets. */
const BASIC = names(`
  PATH HOME USER LOGNAME SHELL PWD TERM COLORTERM NO_COLOR FORCE_COLOR TZ HOSTNAME LANG LANGUAGE LC_* TMPDIR TMP TEMP
  XDG_* DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy
  https_proxy no_proxy all_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  GIT_SSL_CAINFO SSH_AUTH_SOCK GIT_AUTHOR_* GIT_COMMITTER_* GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM
  EDITOR VISUAL PAGER MAKEFLAGS JAVA_HOME ANDROID_HOME ANDROID_SDK_ROOT GRADLE_USER_HOME MAVEN_HOME GOPATH GOROOT
  GOCACHE GOBIN GOMODCACHE GOFLAGS GOPROXY CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN PYENV_ROOT
  VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV UV_CACHE_DIR PIP_CACHE_DIR PYTHONPATH RBENV_ROOT GEM_HOME GEM_PATH
  NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR
  MISE_CONFIG_DIR HOMEBREW_PREFIX NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE LD_LIBRARY_PATH PKG_CONFIG_PATH CC CXX
  DOCKER_HOST CONTAINER_HOST WSL_*
`)

function names(text: string): string[] {
  return text.trim().split(/\s+/)
}

/** For an agent. With `allow`, only the basic ones and that list, otherwise all; never what is denied or `withheld`. */
export function forAgent(env: Variables, rule: EnvironmentRule, withheld: ReadonlySet<string>): Record<string, string> {
  const { allow, deny = [] } = rule
  return choose(env, (name) => {
    if (matches(OF_OUR_CALLER, name) || matches(deny, name)) return false
    if (allow !== undefined) return matches(allow, name) || (matches(BASIC, name) && !withheld.has(name))
    return !withheld.has(name) && !matches(OF_AN_OUTER_AGENT, name)
  })
}

/** For commands of a repository, which run what agents wrote: the basic ones and those on the list. */
export function forCommand(env: Variables, { allow = [], deny = [] }: EnvironmentRule): Record<string, string> {
  return choose(
    env,
    (name) => !matches(OF_OUR_CALLER, name) && !matches(deny, name) && (matches(BASIC, name) || matches(allow, name)),
  )
}

function choose(env: Variables, isWanted: (name: string) => boolean): Record<string, string> {
  const chosen: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) if (value !== undefined && isWanted(name)) chosen[name] = value
  return chosen
}

function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name))
}

const FORGE_ACCESS = [
  ...FORGES.flatMap(({ tokenVariables, ownTokenVariables }) => [...tokenVariables, ...(ownTokenVariables ?? [])]),
  'SSH_AUTH_SOCK',
]

/** For an agent of this role; `source`: the configuration as it is written. */
export function forRole(
  env: Variables,
  rule: EnvironmentRule,
  { source, role }: { source: ConfigFile | undefined; role: Role },
): Record<string, string> {
  const held = heldVariables(source)
  // An orchestrator's `ao spawn` queries the tracker itself.
  const withheld = new Set([
    ...held.byLoop,
    ...(role === 'orchestrator' ? [] : held.byForge),
    // It reads what strangers wrote, and has nothing to do on a forge.
    ...(role === 'reviewer' ? FORGE_ACCESS : []),
  ])
  return forAgent(env, rule, withheld)
}

export interface HeldVariables {
  /** For notifications, webhooks and access to ao itself: no agent needs them. */
  byLoop: ReadonlySet<string>
  /** For trackers and forges: an orchestrator's own `ao` needs them, a worker does not. */
  byForge: ReadonlySet<string>
}

/**
 * Read without being named in the configuration. Those of GitHub and GitLab are not listed: agents' `gh` and `glab` need
 * them.
 */
const BY_ITSELF = ['LINEAR_API_KEY', 'JIRA_API_TOKEN']

export function heldVariables(source: ConfigFile | undefined): HeldVariables {
  const { notifiers, webhooks, dashboard, plugins, projects } = source ?? {}
  const ofProjects = Object.values(projects ?? {}).map(({ tracker, scm }) => [tracker, scm])
  return {
    byLoop: new Set(namesIn([notifiers, webhooks, dashboard, plugins?.notifier])),
    byForge: new Set([...BY_ITSELF, ...namesIn([plugins?.tracker, plugins?.scm, ofProjects])]),
  }
}

/** Is the configuration value at this path used only by ao itself? */
export function isHeldByAo(path: ReadonlyArray<string | number>): boolean {
  const [first, second, third] = path
  if (first === 'plugins') return second === 'notifier' || second === 'tracker' || second === 'scm'
  if (first === 'projects') return third === 'tracker' || third === 'scm'
  return first === 'notifiers' || first === 'webhooks' || first === 'dashboard' || first === 'accounts'
}

function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return variableNames(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(namesIn)
}

export interface SessionFacts {
  sessionId: string
  projectId: string
  /** The project's own checkout. */
  projectPath: string
  workspacePath: string
  branch: string | null
  baseBranch: string
  issue: string | null
  /** undefined: it has none. */
  ports: PortBlock | undefined
}

export interface PortBlock {
  first: number
  count: number
}

/** Names with one value each; `AO_SESSION_PORT_1` and so on follow the first port. */
export const SESSION_VARIABLES: readonly string[] = [
  'AO_SESSION',
  'AO_PROJECT_ID',
  'AO_PROJECT_PATH',
  'AO_WORKSPACE_PATH',
  'AO_BRANCH',
  'AO_BASE_BRANCH',
  'AO_ISSUE',
  'AO_SESSION_PORT',
]

function isSessionWord(name: string): boolean {
  return SESSION_VARIABLES.includes(name) || /^AO_SESSION_PORT_\d+$/.test(name)
}

export function sessionVariables(of: SessionFacts): Record<string, string> {
  const variables: Record<string, string | undefined> = {
    AO_SESSION: of.sessionId,
    AO_PROJECT_ID: of.projectId,
    AO_PROJECT_PATH: of.projectPath,
    AO_WORKSPACE_PATH: of.workspacePath,
    AO_BRANCH: of.branch ?? undefined,
    AO_BASE_BRANCH: of.baseBranch,
    AO_ISSUE: of.issue ?? undefined,
  }
  const entries = Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return withPorts(Object.fromEntries(entries), of.ports)
}

/** The same words with these ports instead of others. undefined: it has none. */
export function withPorts(
  variables: Readonly<Record<string, string>>,
  ports: PortBlock | undefined,
): Record<string, string> {
  const others = Object.entries(variables).filter(([name]) => !/^AO_SESSION_PORT(?:_\d+)?$/.test(name))
  const own = Array.from({ length: ports?.count ?? 0 }, (_, offset) => [
    offset === 0 ? 'AO_SESSION_PORT' : `AO_SESSION_PORT_${offset}`,
    String(ports!.first + offset),
  ])
  return Object.fromEntries([...others, ...own])
}

/** Replaces the words of the session; everything else stays as it is. One that it does not have becomes empty. */
export function fillVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{([A-Z][A-Z0-9_]*)\}/g, (whole, name: string) =>
    isSessionWord(name) ? (variables[name] ?? '') : whole,
  )
}

/** Everything that is decided before the agent is asked. It holds the values of the user's variables: never print it. */
export interface EnvironmentParts {
  inherited: Record<string, string>
  /** As configured; it may name words of the session. */
  ofConfig: Record<string, string>
  /** ao's own, whatever the agent and the configuration say. */
  fixed: Record<string, string>
  binDir: string
}

/** Variables set for this session in addition to the user's own environment. */
export function ownEnvironment(
  { inherited, ofConfig, fixed, binDir }: EnvironmentParts,
  variables: Readonly<Record<string, string>>,
  ofAgent: Readonly<Record<string, string>>,
): Record<string, string> {
  const configured = Object.fromEntries(
    Object.entries(ofConfig).map(([name, text]) => [name, fillVariables(text, variables)]),
  )
  const path = (configured.PATH ?? inherited.PATH ?? '').split(':').filter((entry) => entry !== '' && entry !== binDir)
  return { ...ofAgent, ...configured, PATH: [binDir, ...path].join(':'), ...variables, ...fixed }
}

/** Below the ports that the system gives away by itself (32768 and more). */
const DEFAULT_PORTS: PortBlock = { first: 21_000, count: 10 }

/** The first block of all, which stands for the one that a session will get. No ports: sessions get none. */
export function wantedPorts({ sessionPorts }: Pick<OrchestratorConfig, 'sessionPorts'>): PortBlock {
  return { first: sessionPorts?.first ?? DEFAULT_PORTS.first, count: sessionPorts?.count ?? DEFAULT_PORTS.count }
}
