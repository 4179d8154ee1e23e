// A session by its id, even when it was archived, with the store of its project.
import type { Session } from '../../contract/session.ts'
import { findArchived, sessionNotFound } from '../../manager/observe/find-session.ts'
import { metadataToSession } from '../../store/session/metadata-to-session.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import type { DashboardContext } from '../server/context.ts'

export interface FoundSession {
  session: Session
  store: SessionStore
  /** null: it is active. */
  archivedAt: Date | null
}

export async function findAnySession(place: DashboardContext, sessionId: string): Promise<FoundSession> {
  const active = await place.manager.get(sessionId)
  if (active) return { session: active, store: place.store(active.projectId), archivedAt: null }
  const found = findArchived(place, sessionId)
  const archived = found?.store.readArchived(sessionId)
  if (!found || !archived) throw sessionNotFound(place, sessionId)
  const session = metadataToSession(sessionId, archived.pairs, archived)
  return {
    session: { ...session, projectId: found.project.id },
    store: found.store,
    archivedAt: archived.archivedAt,
  }
}
