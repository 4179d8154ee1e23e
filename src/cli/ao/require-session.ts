// The session named by the user, or an error that helps to find it.
import { AoError } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import { listArchived } from '../../store/session/archive-files.ts'
import type { Ao } from './open-ao.ts'

export async function requireSession(ao: Ao, sessionId: string): Promise<Session> {
  const session = await ao.manager.get(sessionId)
  if (session) return session
  const archivedAt = archivedSince(ao, sessionId)
  if (archivedAt !== null) {
    throw new AoError('SESSION_NOT_FOUND', `Session ${sessionId} is archived, since ${archivedAt}: it has ended`, {
      hint: `Inspect it with: ao session show ${sessionId}, or bring it back with: ao session restore ${sessionId}`,
      details: { sessionId, archivedAt },
    })
  }
  const near = nearestWord(
    sessionId,
    (await ao.manager.list()).map(({ id }) => id),
  )
  throw new AoError('SESSION_NOT_FOUND', `There is no session ${sessionId}`, {
    hint: near ? `Did you mean ${near}?` : undefined,
    details: { sessionId },
  })
}

/** ISO 8601; null: there is no such session in the archive either. */
function archivedSince({ config, paths }: Ao, sessionId: string): string | null {
  for (const projectId of Object.keys(config.projects)) {
    const found = listArchived(paths.project(projectId)).find(({ id }) => id === sessionId)
    if (found) return found.archivedAt.toISOString()
  }
  return null
}
