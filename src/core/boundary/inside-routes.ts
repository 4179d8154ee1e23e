// What a caller inside a session may request of agh's daemon: one row for each route. The agent of a session need not use the
// `agh` command, so the daemon decides by itself. A route that is not in the table is refused, and a test compares it with
// the daemon's own.
import { CALLER_NAMES, type CallerKind, type Right, type Rights } from './inside-commands.ts'

const row = (worker: Right, orchestrator: Right, agent: Right): Rights => ({ worker, orchestrator, agent })
const EVERYONE = row('yes', 'yes', 'yes')
const PERSON = row('no', 'no', 'no')
const READ = row('family', 'yes', 'family')
const ACT = row('no', 'no', 'children')
/** An orchestrator's `ao spawn` and `ao send` come from inside its session, too. */
const DRIVE = row('no', 'yes', 'no')

export const INSIDE_ROUTES: Readonly<Record<string, Rights>> = {
  // Shows only the caller's family.
  'GET /api/sessions': EVERYONE,
  'POST /api/sessions': PERSON,
  'GET /api/sessions/:id': READ,
  'PATCH /api/sessions/:id': PERSON,
  'DELETE /api/sessions/:id': ACT,
  'POST /api/sessions/:id/stop': ACT,
  'POST /api/sessions/:id/resume': ACT,
  'POST /api/sessions/:id/prompt': ACT,
  'POST /api/sessions/:id/prompt/cancel': ACT,
  'POST /api/sessions/:id/prompt/retry': ACT,
  // A child's question is a person's to answer: its parent could ask through it what it may not do itself.
  'POST /api/sessions/:id/approve': PERSON,
  'POST /api/sessions/:id/wake': ACT,
  'POST /api/sessions/:id/repair': PERSON,
  'POST /api/agent/spawn': row('no', 'no', 'yes'),
  'GET /api/sessions/:id/queue': READ,
  'PATCH /api/sessions/:id/queue/:prompt': ACT,
  'DELETE /api/sessions/:id/queue/:prompt': ACT,
  'GET /api/sessions/:id/rules': READ,
  'DELETE /api/sessions/:id/rules/:rule': PERSON,
  'GET /api/sessions/:id/events': READ,
  'GET /api/sessions/:id/stream': READ,
  'GET /api/sessions/:id/history': READ,
  'GET /api/sessions/:id/transcript': READ,
  'GET /api/sessions/:id/usage': READ,
  'GET /api/sessions/:id/hook-runs': READ,
  'GET /api/sessions/:id/health': READ,
  'GET /api/tasks': EVERYONE,
  'POST /api/tasks': PERSON,
  'GET /api/tasks/:id': EVERYONE,
  'DELETE /api/tasks/:id': PERSON,
  'POST /api/tasks/:id/runs': PERSON,
  'GET /api/observe/health': EVERYONE,
  'GET /api/agents': EVERYONE,
  'GET /api/agents/:name': EVERYONE,
  'GET /api/workspaces': EVERYONE,
  'POST /api/workspaces': PERSON,
  'GET /api/workspaces/:id': EVERYONE,
  'DELETE /api/workspaces/:id': PERSON,
  'GET /api/daemon/status': EVERYONE,
  'GET /metrics': EVERYONE,
  'GET /api/openapi.json': EVERYONE,
  'POST /api/driver/sessions': DRIVE,
  'GET /api/driver/sessions': EVERYONE,
  // A list of ids as its body: it only reads.
  'POST /api/driver/sessions/look': EVERYONE,
  'GET /api/driver/sessions/:id/recent': READ,
  'POST /api/driver/sessions/:id/resume': DRIVE,
  'POST /api/driver/sessions/:id/stop': DRIVE,
  'POST /api/driver/sessions/:id/messages': DRIVE,
  'GET /api/driver/sessions/:id/messages/:message': READ,
}

/** Who is at the other end, as far as it shows. */
export interface RequestCaller {
  kind: CallerKind
  /** Its session of agh; null: it has none here. */
  aghSession: string | null
}

/** Does it matter who asks? */
export function isForEveryone(route: string): boolean {
  return Object.hasOwn(INSIDE_ROUTES, route) && Object.values(INSIDE_ROUTES[route]!).every((right) => right === 'yes')
}

/**
 * null: allowed. `ancestry`: the session that the path names, then its parent, and so on; empty: there is none of that name,
 * and the route says so itself.
 */
export function refuseRequest(caller: RequestCaller, route: string, ancestry: readonly string[]): string | null {
  const right = Object.hasOwn(INSIDE_ROUTES, route) ? INSIDE_ROUTES[route]![caller.kind] : 'no'
  const name = CALLER_NAMES[caller.kind]
  if (right === 'yes') return null
  if (right === 'no' || right === 'own') return `${route} is not for ${name}`
  if (ancestry.length === 0) return null
  const reached = right === 'family' ? ancestry : ancestry.slice(1)
  if (caller.aghSession !== null && reached.includes(caller.aghSession)) return null
  return `${ancestry[0]} is not a session that ${caller.aghSession ?? 'the caller'} has spawned`
}
