// What a child session gets, or why it is refused. A child never has more rights than its parent.
import type { SpawnRequest } from '../../../contract/agh/api.ts'
import type { Lineage, SessionMeta } from '../../../contract/agh/session-meta.ts'
import { PERMISSION_MODES, type PermissionMode } from '../../../contract/agh/session-terms.ts'
import { AoError } from '../../../contract/errors.ts'

export const MAX_DEPTH = 3
export const MAX_CHILDREN = 5

export interface SpawnPlan {
  /** Without the root, which is known. The child's own id is not needed. */
  lineage: Lineage
  /** The child's maximum permissions. */
  ceiling: PermissionMode
  /** Those of its parent; the definition of the child's agent adds none. */
  directories: string[]
}

export interface SpawnFacts {
  parent: SessionMeta
  liveChildren: number
  /** Milliseconds. */
  now: number
}

export function planSpawn({ parent, liveChildren, now }: SpawnFacts, request: SpawnRequest): SpawnPlan {
  const depth = parent.lineage.spawn_depth + 1
  if (depth > MAX_DEPTH) throw refused(parent, `children may be ${MAX_DEPTH} deep`)
  if (liveChildren >= MAX_CHILDREN) throw refused(parent, `it has ${MAX_CHILDREN} live children already`)
  if (request.permissions && rank(request.permissions) > rank(parent.permissions)) {
    throw new AoError(
      'ACCESS_REFUSED',
      `A child of ${parent.id} may not have ${request.permissions}: its parent has ${parent.permissions}`,
    )
  }
  // A child does not outlive its parent's time budget.
  const ends = Math.min(now + request.ttl_seconds * 1_000, Date.parse(parent.lineage.ttl_expires_at ?? '9999-01-01'))
  return {
    lineage: {
      parent_session_id: parent.id,
      root_session_id: parent.lineage.root_session_id,
      spawn_depth: depth,
      spawn_role: request.role ?? 'worker',
      ttl_expires_at: new Date(ends).toISOString(),
    },
    ceiling: request.permissions ?? parent.permissions,
    directories: parent.additional_directories ?? [],
  }
}

/** A child does not outlive its parent, and nothing outlives its own time budget. */
export function requireResumable(meta: SessionMeta, facts: { now: number; parentLives: boolean }): void {
  const { parent_session_id: parent, ttl_expires_at: end } = meta.lineage
  if (end !== null && Date.parse(end) <= facts.now) {
    throw new AoError('STATE_REFUSED', `Session ${meta.id} cannot be resumed: its time was over at ${end}`, {
      hint: 'Start another one',
      details: { sessionId: meta.id },
    })
  }
  if (parent === null || facts.parentLives) return
  throw new AoError('STATE_REFUSED', `Session ${meta.id} cannot be resumed: its parent ${parent} is not running`, {
    hint: `Resume the parent first: agh session resume ${parent}`,
    details: { sessionId: meta.id, parent },
  })
}

/** The narrower of two. */
export function narrowest(a: PermissionMode, b: PermissionMode): PermissionMode {
  return rank(a) <= rank(b) ? a : b
}

function rank(mode: PermissionMode): number {
  return PERMISSION_MODES.indexOf(mode)
}

function refused(parent: SessionMeta, why: string): AoError {
  return new AoError('STATE_REFUSED', `Session ${parent.id} may not spawn another one: ${why}`, {
    details: { sessionId: parent.id },
  })
}
