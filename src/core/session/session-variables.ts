// What a session's agent and its hooks find in their environment about the session, and what `${…}` in `agentConfig.env` may
// name.
import type { OrchestratorConfig } from '../../contract/config.ts'

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
