// The only source of time outside tests, and the only way to wait for it.

export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export interface SleepOptions {
  /** Ends the sleep early, without an error: the caller then checks the signal. */
  signal?: AbortSignal | undefined
  /** false: the process may exit meanwhile. */
  ref?: boolean | undefined
}

export function sleep(ms: number, { signal, ref = true }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const wake = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    if (!ref) timer.unref()
    signal?.addEventListener('abort', wake)
  })
}

export function nowIso({ clock }: { clock: Clock }): string {
  return clock.now().toISOString()
}

export function nowMs({ clock }: { clock: Clock }): number {
  return clock.now().getTime()
}
