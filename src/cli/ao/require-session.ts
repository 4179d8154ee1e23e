// The session that the user named, or an error that helps to find it.
import { AoError } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import type { Ao } from './open-ao.ts'

export async function requireSession(ao: Ao, sessionId: string): Promise<Session> {
  const session = await ao.manager.get(sessionId)
  if (session) return session
  const near = nearestWord(
    sessionId,
    (await ao.manager.list()).map(({ id }) => id),
  )
  throw new AoError('SESSION_NOT_FOUND', `There is no session ${sessionId}`, {
    ...(near ? { hint: `Did you mean ${near}?` } : {}),
    details: { sessionId },
  })
}
