// Connections that stay open, and whose they are: a stream or a socket ends when its key does, immediately for a browser
// that signs itself out, within seconds when the key was removed in another way.
import type { Caller } from './admit-request.ts'

export interface ConnectionLimit {
  /** Until the returned function is called, `cut` may be. */
  admit(caller: Caller, cut: () => void): () => void
  /** Cuts the connections of those who are no longer signed in. */
  check(): void
  close(): void
}

const CHECK_MS = 10_000

export function createConnectionLimit(isStillIn: (caller: Caller) => boolean, everyMs = CHECK_MS): ConnectionLimit {
  const lines = new Map<symbol, { caller: Caller; cut: () => void }>()
  const check = () => {
    for (const [line, { caller, cut }] of lines) {
      if (isStillIn(caller)) continue
      lines.delete(line)
      cut()
    }
  }
  const timer = setInterval(check, everyMs)
  timer.unref()
  return {
    admit(caller, cut) {
      const line = Symbol('line')
      lines.set(line, { caller, cut })
      return () => lines.delete(line)
    },
    check,
    close: () => clearInterval(timer),
  }
}
