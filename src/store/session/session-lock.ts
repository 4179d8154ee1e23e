// The two locks of a session: a short one around every change of its files, a long one around a whole operation.
import { AoError } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { type LockOptions, withLock } from '../../lib/lock.ts'
import type { StoreContext } from '../store-context.ts'

type LockContext = Pick<StoreContext, 'paths'>

/** Around one change of the session's files. `ao-metadata-helper.sh` takes the same one. */
export function lockSession<T>(context: LockContext, sessionId: string, critical: () => T): Promise<T> {
  return withLock(context.paths.lockFile(checkedId(sessionId)), critical)
}

/** Around spawn, kill, restore or cleanup. File changes inside it take the short lock as always. */
export async function withOperation<T>(
  context: LockContext,
  sessionId: string,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  const path = context.paths.lockFile(`${checkedId(sessionId)}.operation`)
  try {
    return await withLock(path, work, options)
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'LOCK_TIMEOUT' || error.details.path !== path) throw error
    const pid = Number(String(error.details.owner).split(':')[0])
    throw new AoError('SESSION_BUSY', `Process ${pid} works on session ${sessionId}`, {
      details: { sessionId, pid },
      cause: error,
    })
  }
}

/** A name with a slash or dots could escape the directory: no session has such a name. */
function checkedId(sessionId: string): string {
  if (isSafeName(sessionId)) return sessionId
  throw new AoError('SESSION_NOT_FOUND', `There is no session ${JSON.stringify(sessionId)}`, { details: { sessionId } })
}
