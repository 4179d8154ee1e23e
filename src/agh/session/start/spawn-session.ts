// A session started by an agent: identified by its secret, not by what it claims, and never with more rights than its
// parent.

import type { SpawnRequest } from '../../../contract/agh/api.ts'
import { AoError } from '../../../contract/errors.ts'
import { planSpawn } from '../../../core/agh/session/plan-spawn.ts'
import { nowMs } from '../../../lib/clock.ts'
import { childrenOf } from '../children.ts'
import type { AghContext } from '../context.ts'
import type { LiveSession } from '../live-session.ts'
import { requireAllowed } from '../publish.ts'
import { createSession } from './create-session.ts'

/** `caller`: the session whose secret was sent; null: none. */
export async function spawnSession(
  context: AghContext,
  caller: string | null,
  request: SpawnRequest,
): Promise<LiveSession> {
  const parent = requireParent(context, caller)
  requireAllowed(parent, { type: 'spawn_child' })
  const liveChildren = childrenOf(context, parent.meta.id).length
  const plan = planSpawn({ parent: parent.meta, liveChildren, now: nowMs(context) }, request)
  const { agent_name = parent.meta.agent_name, name } = request
  const wanted = { agent_name, workspace_path: parent.meta.workspace_path, ...(name === undefined ? {} : { name }) }
  const environment = parent.environment ?? undefined
  return createSession(context, wanted, { type: 'spawned', spawn: plan, environment })
}

function requireParent(context: AghContext, caller: string | null): LiveSession {
  const session = caller === null ? undefined : context.live.get(caller)
  if (session) return session
  throw new AoError('ACCESS_REFUSED', 'This is not the token of a running session', {
    hint: 'Only an agent inside a session can spawn: its AGH_SESSION_TOKEN is needed',
  })
}
