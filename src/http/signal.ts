// Wakes one waiter. A signal raised between two waits is not lost.

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
