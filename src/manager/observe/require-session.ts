// A session by its id, or the error that helps to find it: an active one, or also an archived one.
import { join } from 'node:path'
import type { Session } from '../../contract/session.ts'
import { storedSession } from '../../contract/stored-session.ts'
import type { SessionStore } from '../../store/session/session-store.ts'
import { findActive, findArchived, type ManagerContext, requireToRead, sessionNotFound } from '../context.ts'
import { enrichOne } from './enrich.ts'

export interface AnySession {
  session: Session
  store: SessionStore
  /** null: it is active. */
  archivedAt: Date | null
  /** Its record. */
  file: string
}

/** Throws SESSION_NOT_FOUND, also for one that is archived. */
export async function requireSession(context: ManagerContext, sessionId: string): Promise<Session> {
  return enrichOne(context, requireToRead(context, sessionId))
}

/** Throws SESSION_NOT_FOUND. */
export async function requireAnySession(context: ManagerContext, sessionId: string): Promise<AnySession> {
  const active = findActive(context, sessionId)
  if (active) {
    const { store } = active
    const file = store.paths.sessionFile(sessionId)
    return { session: await enrichOne(context, active), store, archivedAt: null, file }
  }
  const archived = findArchived(context, sessionId)
  if (!archived) throw sessionNotFound(context, sessionId)
  const { store, stored, project } = archived
  const session = storedSession(stored, project.id)
  return { session, store, archivedAt: stored.archivedAt, file: join(store.paths.archive, stored.file) }
}
