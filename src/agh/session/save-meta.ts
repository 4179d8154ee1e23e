// The one way the metadata of a live session changes: `meta` is read-only for everybody else.
import type { Activity, SessionDigest, SessionMeta } from '../../contract/agh/session-meta.ts'
import type { SessionState } from '../../contract/agh/words.ts'
import { requireTransition } from '../../core/agh/session/transition.ts'
import { writeMeta } from '../store/meta-file.ts'
import { type AghContext, nowIso } from './context.ts'
import type { LiveSession } from './live-session.ts'

/** Durable: for what a reader after a crash must know. */
export function saveMeta(context: AghContext, session: LiveSession, changes: Partial<SessionMeta>): void {
  change(session, { ...changes, last_sequence: session.store.committedSequence(), updated_at: nowIso(context) })
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

/** With every heartbeat; worthless after a crash, so the disk is not waited for. */
export function saveActivity(context: AghContext, session: LiveSession, activity: Activity): void {
  change(session, { activity })
  writeMeta(context.paths, session.meta, { durable: false })
}

/** Written with the next of the others, at the end of a turn at the latest. */
export function keepInMemory(session: LiveSession, digest: SessionDigest): void {
  change(session, { digest })
}

/** It has ended, but that could not be written: readers see it, and a repair writes it. */
export function endUnwritten(context: AghContext, session: LiveSession, end: Partial<SessionMeta>): void {
  change(session, { ...end, state: 'stopped' })
  context.unwritten.set(session.meta.id, session.meta)
}

function change(session: { meta: SessionMeta }, changes: Partial<SessionMeta>): void {
  session.meta = { ...session.meta, ...changes }
}
