// Which session spawned which, and which one a secret belongs to.
import { timingSafeEqual } from 'node:crypto'
import { AoError } from '../../contract/errors.ts'
import type { AghContext } from './context.ts'
import type { LiveSession } from './live-session.ts'
import { readSession } from './read-session.ts'

/** The live sessions spawned by a session. */
export function childrenOf(context: AghContext, sessionId: string): LiveSession[] {
  return [...context.live.values()].filter(({ meta }) => meta.lineage.parent_session_id === sessionId)
}

export function sessionByToken(context: AghContext, token: string): LiveSession | null {
  const given = Buffer.from(token)
  for (const session of context.live.values()) {
    const own = Buffer.from(session.token)
    if (own.length === given.length && timingSafeEqual(own, given)) return session
  }
  return null
}

/** The session, its parent, and so on; empty: there is no such session. */
export function ancestryOf(context: AghContext, sessionId: string): string[] {
  const found: string[] = []
  for (let id: string | null = sessionId; id !== null && !found.includes(id); ) {
    const parent = parentOf(context, id)
    if (parent === undefined) break
    found.push(id)
    id = parent
  }
  return found
}

/** undefined: there is no such session, or its metadata is damaged. */
function parentOf(context: AghContext, sessionId: string): string | null | undefined {
  try {
    return readSession(context, sessionId).lineage.parent_session_id
  } catch (error) {
    if (error instanceof AoError && error.code === 'SESSION_NOT_FOUND') return undefined
    if (error instanceof AoError && ['METADATA_DAMAGED', 'FORMAT_NEWER'].includes(error.code)) return null
    throw error
  }
}
