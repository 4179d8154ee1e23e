// Silence is no event: when time alone changes a status (an agent counts as inactive, its limit is reset), a timer reports it.
// Only until the next poll, which sees everything anyway.

export interface SilenceTiming {
  /** `at`: when its status may change by itself, on the clock of `now`. null: only an event changes it. */
  set(sessionId: string, at: number | null): void
  close(): void
}

export interface SilenceOptions {
  now(): number
  /** What lies further ahead is left to the next poll. */
  pollMs: number
}

export function createSilenceTiming(trigger: (sessionId: string) => void, options: SilenceOptions): SilenceTiming {
  const timers = new Map<string, NodeJS.Timeout>()

  function forget(sessionId: string): void {
    clearTimeout(timers.get(sessionId))
    timers.delete(sessionId)
  }

  return {
    set(sessionId, at) {
      forget(sessionId)
      if (at === null) return
      const inMs = at - options.now()
      if (inMs >= options.pollMs) return
      const fire = () => {
        timers.delete(sessionId)
        trigger(sessionId)
      }
      timers.set(sessionId, setTimeout(fire, Math.max(0, inMs)).unref())
    },
    close() {
      for (const sessionId of [...timers.keys()]) forget(sessionId)
    },
  }
}
