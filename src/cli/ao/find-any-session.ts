// A session by its id, even when it was archived; with its store, for what only the store knows.
import { join } from 'node:path'
import type { Session } from '../../contract/session.ts'
import { metadataToSession } from '../../store/session/metadata-to-session.ts'
import { createSessionStore, type SessionStore } from '../../store/session/session-store.ts'
import type { Io } from '../io.ts'
import type { Ao } from './open-ao.ts'
import { requireSession } from './require-session.ts'

export interface AnySession {
  session: Session
  store: SessionStore
  /** null: it is active. */
  archivedAt: Date | null
  /** Its record. */
  file: string
}

export function openStore(ao: Ao, projectId: string, io: Io): SessionStore {
  return createSessionStore({
    projectId,
    paths: ao.paths.project(projectId),
    configPath: ao.config.configPath,
    clock: io.clock,
    log: ao.log,
  })
}

export async function findAnySession(ao: Ao, sessionId: string, io: Io): Promise<AnySession> {
  const storeOf = (projectId: string) => openStore(ao, projectId, io)
  const active = await ao.manager.get(sessionId)
  if (active) {
    const store = storeOf(active.projectId)
    return { session: active, store, archivedAt: null, file: store.paths.sessionFile(sessionId) }
  }
  for (const projectId of Object.keys(ao.config.projects)) {
    const store = storeOf(projectId)
    const archived = store.readArchived(sessionId)
    if (!archived) continue
    const session = metadataToSession(sessionId, archived.pairs, archived)
    return { session, store, archivedAt: archived.archivedAt, file: join(store.paths.archive, archived.file) }
  }
  return { session: await requireSession(ao, sessionId), store: storeOf(''), archivedAt: null, file: '' }
}
