// Reads the metadata of a session, changing nothing.
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { readMeta } from '../store/meta-file.ts'
import type { AghContext } from './context.ts'

/** As it is. A session whose end could not be written is shown as ended. */
export function readSession(context: AghContext, sessionId: string): SessionMeta {
  return context.live.get(sessionId)?.meta ?? context.unwritten.get(sessionId) ?? readMeta(context.paths, sessionId)
}

/** Neither stopped nor running here: left by a killed daemon, or its end could not be written. */
export function isStale(context: AghContext, sessionId: string): boolean {
  if (context.live.has(sessionId) || context.starting.has(sessionId)) return false
  return readMeta(context.paths, sessionId).state !== 'stopped'
}
