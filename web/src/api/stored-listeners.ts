// Who shows a value that this browser keeps: they are informed when this tab changes it, and when another one does.

export interface StoredListeners {
  /** For `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void
  /** This tab has changed it. */
  notify(): void
}

export function createStoredListeners(): StoredListeners {
  const listeners = new Set<() => void>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      window.addEventListener('storage', listener)
      return () => {
        listeners.delete(listener)
        window.removeEventListener('storage', listener)
      }
    },
    notify() {
      for (const listener of listeners) listener()
    },
  }
}
