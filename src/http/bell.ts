// Wakes one waiter. Rings that come between two waits are not lost.

export interface Bell {
  ring(): void
  reset(): void
  /** false: it did not ring in time. */
  wait(timeoutMs: number): Promise<boolean>
}

export function createBell(): Bell {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      rung = true
      wake?.()
    },
    reset() {
      rung = false
    },
    async wait(timeoutMs) {
      if (rung) return true
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(resolve, timeoutMs)
      })
      clearTimeout(timer)
      wake = null
      return rung
    },
  }
}
