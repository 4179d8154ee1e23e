// For readers who follow a session to its end: when there is something new to read, and whether there will be more.
import type { AghContext } from './context.ts'

export interface SessionWatch {
  /** It does not live here any more: what is in its log now is all there will be. */
  isOver(): boolean
  /** Its end on its way, to be waited for; null while it lives. */
  ending(): Promise<unknown> | null
  close(): void
}

/** `onNews` is called with every commit, and when its end begins: an end that cannot be written is no commit. */
export function watchSession(context: AghContext, sessionId: string, onNews: () => void): SessionWatch {
  const live = context.live.get(sessionId)
  const unsubscribe = live?.store.subscribe(onNews)
  live?.abort.signal.addEventListener('abort', onNews)
  return {
    isOver: () => live === undefined || context.live.get(sessionId) !== live,
    ending: () => live?.finishing ?? null,
    close() {
      unsubscribe?.()
      live?.abort.signal.removeEventListener('abort', onNews)
    },
  }
}
