// Names that become paths, tmux targets and git refs. One pattern each, checked where they enter.

const SAFE_NAME = /^[A-Za-z0-9_-]+$/

/** Session ids, project ids and prefixes: no dot, slash or space, so that no name can escape its directory. */
export function isSafeName(name: string): boolean {
  return name.length <= 128 && SAFE_NAME.test(name)
}

export const ORCHESTRATOR_SUFFIX = '-orchestrator'

export function isOrchestratorId(sessionId: string): boolean {
  return sessionId.endsWith(ORCHESTRATOR_SUFFIX)
}

/** The number of `{prefix}-{n}`, or null when the id has another prefix or no number. */
export function sessionNumber(sessionId: string, prefix: string): number | null {
  if (!sessionId.startsWith(`${prefix}-`)) return null
  const digits = sessionId.slice(prefix.length + 1)
  return /^[1-9][0-9]*$/.test(digits) ? Number(digits) : null
}

/** A runtime's name for a session (`{hash}-{id}`) as people know it: the id alone. */
export function shownName(runtimeName: string): string {
  return runtimeName.replace(/^[0-9a-f]{12}-(?=.)/, '')
}
