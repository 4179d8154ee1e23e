// What a session's agent and its hooks find in their environment about the session, and what `${…}` in `agentConfig.env` may
// name.

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

/** The first block of that size that overlaps none of the taken ones; null: there is none. */
export function freeBlock({ first, count }: PortBlock, taken: readonly PortBlock[]): PortBlock | null {
  for (let start = first; start + count - 1 <= LAST_PORT; start += count) {
    const isFree = taken.every((one) => start + count <= one.first || one.first + one.count <= start)
    if (isFree) return { first: start, count }
  }
  return null
}

const LAST_PORT = 65_535
