// The event log of a session for readers, running or not, without changing it: its events, the tokens of each turn, the hook
// runs, and for those who follow it to its end: when there is more to read, and whether more will come. A damaged log is
// repaired by commands that act on the session.
import { existsSync } from 'node:fs'
import type { HookRunView, TurnUsage } from '../../contract/agh/answers.ts'
import type { EventRow } from '../../contract/agh/events.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { isDamage } from '../store/database.ts'
import { historyFile } from '../store/meta-file.ts'
import * as log from '../store/read-log.ts'
import type { AghContext } from './context.ts'
import type { LiveSession } from './live-session.ts'
import { readSession } from './read-session.ts'

/** In order, starting after `after`. */
export async function readEvents(
  context: AghContext,
  sessionId: string,
  after: number,
  limit: number,
): Promise<EventRow[]> {
  const live = context.live.get(sessionId)
  // A session that is just ending has closed its store already.
  if (live && !live.store.isClosed()) return explained(context, sessionId, () => live.store.readAfter(after, limit))
  readIfWhole(context, sessionId)
  return readLog(context, sessionId, (path) => log.readEventsAfter(path, after, limit))
}

/** null: the metadata is missing or unreadable, but there is an event log, which is read as it is. */
export function readIfWhole(context: AghContext, sessionId: string): SessionMeta | null {
  try {
    return readSession(context, sessionId)
  } catch (error) {
    const isLost =
      error instanceof AoError && ['METADATA_DAMAGED', 'FORMAT_NEWER', 'SESSION_NOT_FOUND'].includes(error.code)
    if (isLost && isSafeName(sessionId) && existsSync(historyFile(context.paths, sessionId))) return null
    throw error
  }
}

/** The last events, in order; only of `type` when given. */
export async function readRecent(
  context: AghContext,
  sessionId: string,
  count: number,
  type: string | null = null,
): Promise<EventRow[]> {
  readIfWhole(context, sessionId)
  return readLog(context, sessionId, (path) => log.readLastEvents(path, count, type))
}

/** In turn order. */
export async function readUsage(context: AghContext, sessionId: string): Promise<TurnUsage[]> {
  readSession(context, sessionId)
  return readLog(context, sessionId, log.readTurnUsage)
}

/** Oldest first. */
export async function readHookRuns(context: AghContext, sessionId: string): Promise<HookRunView[]> {
  readSession(context, sessionId)
  return readLog(context, sessionId, log.readHookRuns)
}

function readLog<T>(context: AghContext, sessionId: string, read: (path: string) => Promise<T>): Promise<T> {
  return explained(context, sessionId, () => read(historyFile(context.paths, sessionId)))
}

async function explained<T>(context: AghContext, sessionId: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw isDamage(error) ? logDamaged(context, sessionId, error) : error
  }
}

function logDamaged(context: AghContext, sessionId: string, cause: unknown): AoError {
  const file = historyFile(context.paths, sessionId)
  const first = context.live.has(sessionId) ? 'Stop the session first. ' : ''
  return new AoError('METADATA_DAMAGED', `The event log of session ${sessionId} is damaged: ${file}`, {
    hint: `${first}Keep it aside and carry over what can be read with: agh session repair ${sessionId}`,
    details: { sessionId, file },
    cause,
  })
}

export interface SessionWatch {
  /** It is no longer live here: its log is complete. */
  isOver(): boolean
  /** It is over here only: the next daemon continues it. */
  isLeft(): boolean
  /** It was over, and has been resumed since. */
  isResumed(): boolean
  /** The pending end, to be awaited; null while it is live. */
  ending(): Promise<unknown> | null
  close(): void
}

/** `onNews` is called with every commit, and when the end begins: an end that cannot be written causes no commit. */
export function watchSession(context: AghContext, sessionId: string, onNews: () => void): SessionWatch {
  let live: LiveSession | undefined
  let unsubscribe: (() => void) | undefined
  const follow = () => {
    live = context.live.get(sessionId)
    unsubscribe = live?.store.subscribe(onNews)
    live?.abort.signal.addEventListener('abort', onNews)
  }
  follow()
  let postponed: AbortSignal | undefined
  const awaitHost = () => {
    postponed = context.postponed.get(sessionId)?.signal
    postponed?.addEventListener('abort', onNews)
  }
  // It is not here yet, and may still be continued.
  if (!live) awaitHost()
  context.leaving.signal.addEventListener('abort', onNews)
  return {
    isOver() {
      if (live && context.live.get(sessionId) === undefined && context.postponed.has(sessionId)) {
        live = undefined
        awaitHost()
      }
      if (!live && postponed) follow()
      const isAwaited = postponed?.aborted === false && !context.unwritten.has(sessionId)
      return live ? context.live.get(sessionId) !== live : !isAwaited
    },
    isLeft: () => context.leaving.signal.aborted && readIfWhole(context, sessionId)?.state === 'active',
    isResumed: () => context.live.has(sessionId) && context.live.get(sessionId) !== live,
    ending: () => live?.finishing ?? null,
    close() {
      unsubscribe?.()
      postponed?.removeEventListener('abort', onNews)
      live?.abort.signal.removeEventListener('abort', onNews)
      context.leaving.signal.removeEventListener('abort', onNews)
    },
  }
}
