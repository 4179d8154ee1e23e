// The environment of a session: the daemon's, with the variables of the command that asked for it where they are allowed.

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that agh and ao set for their own use cannot be overridden. */
const OWN = /^(AGH|AO)_/

/**
 * An allowed name has the caller's value, or is unset if the caller has none: a virtualenv that was active where the daemon
 * happened to be started is not active in another terminal's session.
 */
export function callerEnvironment(daemon: Environment, caller: Environment, allow: readonly string[]): Environment {
  const isAllowed = (name: string) => !OWN.test(name) && allow.some((pattern) => matches(name, pattern))
  const kept = Object.entries(daemon).filter(([name]) => !isAllowed(name))
  const taken = Object.entries(caller).filter(([name]) => isAllowed(name))
  return Object.fromEntries([...kept, ...taken])
}

/** `*` matches any characters, at the beginning or the end of a pattern. */
function matches(name: string, pattern: string): boolean {
  if (pattern === '*') return true
  if (pattern.endsWith('*')) return name.startsWith(pattern.slice(0, -1))
  if (pattern.startsWith('*')) return name.endsWith(pattern.slice(1))
  return name === pattern
}
