// What is sent to the agent: each key is carried out once, in the order of arrival, also when its sender vanishes right after sending
// it. A key that is sent again gets the outcome of the first time.
import type { Took } from './protocol.ts'

export interface Inbox<T = Promise<Took>> {
  take(key: string | undefined, act: () => T): T
  /** Nobody will send these again. */
  forget(keys: readonly string[]): void
  taken(): string[]
}

/** A client repeats an input for seconds, not after hundreds of others. */
export const REMEMBERED_KEYS = 256

/** `most`: of the keys that are remembered, where nobody says which to forget. */
export function createInbox<T = Promise<Took>>(most = Number.POSITIVE_INFINITY): Inbox<T> {
  const taken = new Map<string, T>()
  return {
    take(key, act) {
      if (key === undefined) return act()
      const before = taken.get(key)
      if (before !== undefined) return before
      const outcome = act()
      taken.set(key, outcome)
      if (taken.size > most) taken.delete(taken.keys().next().value!)
      return outcome
    },
    forget(keys) {
      for (const key of keys) taken.delete(key)
    },
    taken: () => [...taken.keys()],
  }
}
