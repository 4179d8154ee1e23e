// Who is viewing the board. Work that is needed only for viewers runs from the first one's arrival until a while after the
// last one has left: a reloaded page comes back immediately.
export interface Audience {
  isThere(): boolean
  join(wake: () => void): () => void
  wake(): void
  /** Restarts what runs for them, if it is running. */
  restart(): void
  close(): void
}

const LINGER_MS = 15_000

export function createAudience(run: () => { close(): void }, lingerMs = LINGER_MS): Audience {
  const members = new Set<() => void>()
  let running: { close(): void } | null = null
  let leaving: NodeJS.Timeout | null = null
  const stop = () => {
    running?.close()
    running = null
    if (leaving !== null) clearTimeout(leaving)
    leaving = null
  }
  return {
    isThere: () => running !== null,
    join(wake) {
      if (leaving !== null) clearTimeout(leaving)
      leaving = null
      members.add(wake)
      running ??= run()
      return () => {
        members.delete(wake)
        if (members.size > 0 || running === null) return
        leaving ??= setTimeout(stop, lingerMs)
        // It must not keep a closing server alive.
        leaving.unref()
      }
    },
    wake() {
      for (const wake of members) wake()
    },
    restart() {
      if (running === null) return
      running.close()
      running = run()
    },
    close: stop,
  }
}
