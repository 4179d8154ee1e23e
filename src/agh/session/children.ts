// The live sessions spawned by a session.
import type { AghContext } from './context.ts'
import type { LiveSession } from './live-session.ts'

export function childrenOf(context: AghContext, sessionId: string): LiveSession[] {
  return [...context.live.values()].filter(({ meta }) => meta.lineage.parent_session_id === sessionId)
}
