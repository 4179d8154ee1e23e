// The one way the metadata of a live session changes.
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import type { SessionState } from '../../contract/agh/words.ts'
import { requireTransition } from '../../core/agh/session/transition.ts'
import { writeMeta } from '../store/meta-file.ts'
import { type AghContext, nowIso } from './context.ts'
import type { LiveSession } from './live-session.ts'

/** Durable: for what a reader after a crash must know. */
export function saveMeta(context: AghContext, session: LiveSession, changes: Partial<SessionMeta>): void {
  session.meta = {
    ...session.meta,
    ...changes,
    last_sequence: session.store.committedSequence(),
    updated_at: nowIso(context),
  }
  writeMeta(context.paths, session.meta, { durable: true })
}

export function moveTo(
  context: AghContext,
  session: LiveSession,
  state: SessionState,
  changes: Partial<SessionMeta> = {},
): void {
  requireTransition(session.meta.id, session.meta.state, state)
  saveMeta(context, session, { ...changes, state })
}
