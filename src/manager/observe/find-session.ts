// A session by its id alone: its project, its store and what is stored.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { endedHint } from '../../contract/status.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import type { SessionStore, StoredSession } from '../../store/session/session-store.ts'
import { type ManagerContext, projectIds } from '../context.ts'

export interface FoundSession {
  project: ProjectConfig
  store: SessionStore
  stored: StoredSession
}

export function findActive(context: ManagerContext, sessionId: string): FoundSession | null {
  if (!isSafeName(sessionId)) return null
  for (const projectId of projectIds(context)) {
    const store = context.store(projectId)
    const stored = store.read(sessionId)
    if (stored) return { project: context.config.projects[projectId]!, store, stored }
  }
  return null
}

export function requireActive(context: ManagerContext, sessionId: string): FoundSession {
  const found = findActive(context, sessionId)
  if (found) return found
  throw sessionNotFound(context, sessionId)
}

export interface ArchivedSession extends FoundSession {
  stored: NonNullable<ReturnType<SessionStore['readArchived']>>
}

export function findArchived(context: ManagerContext, sessionId: string): ArchivedSession | null {
  if (!isSafeName(sessionId)) return null
  for (const projectId of projectIds(context)) {
    const store = context.store(projectId)
    const archived = store.readArchived(sessionId)
    if (archived) return { project: context.config.projects[projectId]!, store, stored: archived }
  }
  return null
}

export function sessionNotFound(context: ManagerContext, sessionId: string): AoError {
  const archived = findArchived(context, sessionId)
  if (!archived) {
    const ids = projectIds(context).flatMap((projectId) => context.store(projectId).list())
    const near = nearestWord(sessionId, ids)
    return new AoError('SESSION_NOT_FOUND', `There is no session ${sessionId}`, {
      hint: near === null ? undefined : `Did you mean ${near}?`,
      details: { sessionId },
    })
  }
  const archivedAt = archived.stored.archivedAt.toISOString()
  return new AoError('SESSION_NOT_FOUND', `Session ${sessionId} is archived, since ${archivedAt}: it has ended`, {
    hint: endedHint(sessionId, archived.stored.record.status ?? 'killed'),
    details: { sessionId, archivedAt },
  })
}
