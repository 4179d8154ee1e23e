// For readers that follow a session to its end: when there is something new to read, and whether more will come.
import type { AghContext } from './context.ts'
import { readIfWhole } from './read-log.ts'

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
  const live = context.live.get(sessionId)
  const unsubscribe = live?.store.subscribe(onNews)
  live?.abort.signal.addEventListener('abort', onNews)
  context.leaving.signal.addEventListener('abort', onNews)
  return {
    isOver: () => live === undefined || context.live.get(sessionId) !== live,
    isLeft: () => context.leaving.signal.aborted && readIfWhole(context, sessionId)?.state === 'active',
    isResumed: () => context.live.has(sessionId) && context.live.get(sessionId) !== live,
    ending: () => live?.finishing ?? null,
    close() {
      unsubscribe?.()
      live?.abort.signal.removeEventListener('abort', onNews)
      context.leaving.signal.removeEventListener('abort', onNews)
    },
  }
}
