// What a caller inside a session may run of `ao` and `agh`, and request of agh's daemon. Each command and each route declares
// it, with a column for each kind of caller; one that declares nothing is refused: a new one has to be considered first. A
// person outside of sessions may do everything. The MCP tools are commands, and have their rights.
import type { Role } from '../session/plan-launch.ts'

/** `agent`: of a session that agh has and ao does not. */
export type CallerKind = Role | 'agent'

export interface Caller {
  kind: CallerKind
  /** Of ao; for `agent`: of agh. */
  sessionId: string
  projectId: string | null
  /** The secret of its agh session, if it has one: the daemon knows the session by it. */
  token: string | null
}

/**
 * own: only with its own session named. family: its own session, and those that it spawned. children: only the latter. agh's
 * daemon knows who spawned whom and decides these two.
 */
export type Right = 'yes' | 'own' | 'family' | 'children' | 'no'
export type Rights = Readonly<Record<CallerKind, Right>>

/** A reviewer may do nothing that does not name it: it reads what strangers wrote. */
export const rights = (worker: Right, orchestrator: Right, agent: Right, reviewer: Right = 'no'): Rights => ({
  worker,
  orchestrator,
  agent,
  reviewer,
})

export const EVERYONE = rights('yes', 'yes', 'yes', 'yes')
export const OWN_SESSION = rights('own', 'yes', 'no')
export const ORCHESTRATOR = rights('no', 'yes', 'no')
export const PERSON = rights('no', 'no', 'no')
export const REVIEWER = rights('no', 'no', 'no', 'yes')
/** Of ao's sessions: an agent that only agh knows is in none. */
export const IN_A_SESSION = rights('yes', 'yes', 'no')
/** Reads one session of agh. */
export const READ = rights('family', 'yes', 'family')
/** Acts on one session of agh. Sessions of ao are reached through ao. */
export const ACT = rights('no', 'no', 'children')

export interface CommandRequest {
  program: 'ao' | 'agh'
  command: { name: string; inside?: Rights | undefined }
  /** The session that the command names. */
  session?: string | undefined
}

/** null: allowed, as far as the command line can decide it. Otherwise the reason. */
export function refuseCommand(caller: Caller, { program, command, session }: CommandRequest): string | null {
  const right = (command.inside ?? PERSON)[caller.kind]
  const name = CALLER_NAMES[caller.kind]
  const line = `${program} ${command.name}`
  if (right === 'yes') return null
  if (right === 'no') return `${line} is not for ${name}`
  if (right === 'own') {
    return session === caller.sessionId ? null : `${line} is for ${name} only with its own session, ${caller.sessionId}`
  }
  return caller.token === null ? `${line} is not for ${name} that agh does not run` : null
}

const CALLER_NAMES: Readonly<Record<CallerKind, string>> = {
  worker: 'the agent of a session',
  orchestrator: 'an orchestrator',
  reviewer: 'a reviewer',
  agent: 'the agent of a session',
}

/** Who is at the other end of a request, as far as it shows. */
export interface RequestCaller {
  kind: CallerKind
  /** Its session of agh; null: it has none here. */
  aghSession: string | null
}

export interface RequestedRoute {
  method: string
  path: string
  inside?: Rights | undefined
}

/** Does it matter who asks? */
export function isForEveryone({ inside = PERSON }: RequestedRoute): boolean {
  return Object.values(inside).every((right) => right === 'yes')
}

/**
 * null: allowed. `ancestry`: the session that the path names, then its parent, and so on; empty: there is none of that name,
 * and the route says so itself.
 */
export function refuseRequest(
  caller: RequestCaller,
  route: RequestedRoute,
  ancestry: readonly string[],
): string | null {
  const right = (route.inside ?? PERSON)[caller.kind]
  if (right === 'yes') return null
  if (right === 'no' || right === 'own') return `${route.method} ${route.path} is not for ${CALLER_NAMES[caller.kind]}`
  if (ancestry.length === 0) return null
  const reached = right === 'family' ? ancestry : ancestry.slice(1)
  if (caller.aghSession !== null && reached.includes(caller.aghSession)) return null
  return `${ancestry[0]} is not a session that ${caller.aghSession ?? 'the caller'} has spawned`
}
