// The only source of time outside tests, and the only way to wait for it.
import { errorText } from '../contract/errors.ts'

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

export type Timed<T> = { kind: 'value'; value: T } | { kind: 'failed'; why: string }

export interface TimeBudget {
  /** Work that fails or takes too long says so; it is not interrupted. */
  within<T>(work: Promise<T>): Promise<Timed<T>>
  end(): void
}

export function startTimeBudget(ms: number): TimeBudget {
  const late = { kind: 'failed', why: `no answer within ${ms} ms` } as const
  const waiting = new Set<(answer: typeof late) => void>()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    for (const giveUp of waiting) giveUp(late)
    waiting.clear()
  }, ms)
  return {
    // A list asks thousands of times: races with one promise would all be kept until it ends.
    within<T>(work: Promise<T>) {
      return new Promise<Timed<T>>((resolve) => {
        const answer = (timed: Timed<T>) => {
          waiting.delete(resolve)
          resolve(timed)
        }
        work.then(
          (value) => answer({ kind: 'value', value }),
          (error) => answer({ kind: 'failed', why: errorText(error) }),
        )
        if (isOver) resolve(late)
        else waiting.add(resolve)
      })
    },
    end: () => clearTimeout(timer),
  }
}

/** Wakes the one who waits for it; raised before, it is not waited for. */
export interface Signal {
  raise(): void
  reset(): void
  /** false: it was not raised in time. */
  wait(timeoutMs: number): Promise<boolean>
}

export function createSignal(): Signal {
  let isRaised = false
  let wake: (() => void) | null = null
  return {
    raise() {
      isRaised = true
      wake?.()
    },
    reset() {
      isRaised = false
    },
    async wait(timeoutMs) {
      if (isRaised) return true
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(resolve, timeoutMs)
      })
      clearTimeout(timer)
      wake = null
      return isRaised
    },
  }
}
