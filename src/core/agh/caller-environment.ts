// The environment of a session: the daemon's, with the variables of the command that asked for it where they are allowed.

type Environment = Readonly<Record<string, string | undefined>>

/** What agh and ao say to themselves is nobody's to set. */
const OWN = /^(AGH|AO)_/

/**
 * An allowed name is as the caller has it, also when the caller has it not: a virtualenv that was active where the daemon
 * happened to be started is not active in another terminal's session.
 */
export function callerEnvironment(daemon: Environment, caller: Environment, allow: readonly string[]): Environment {
  const isAllowed = (name: string) => !OWN.test(name) && allow.some((pattern) => matches(name, pattern))
  const kept = Object.entries(daemon).filter(([name]) => !isAllowed(name))
  const taken = Object.entries(caller).filter(([name]) => isAllowed(name))
  return Object.fromEntries([...kept, ...taken])
}

/** `*` stands for any characters, at the beginning or the end of a pattern. */
function matches(name: string, pattern: string): boolean {
  if (pattern === '*') return true
  if (pattern.endsWith('*')) return name.startsWith(pattern.slice(0, -1))
  if (pattern.startsWith('*')) return name.endsWith(pattern.slice(1))
  return name === pattern
}
