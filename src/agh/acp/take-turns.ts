// Many agents may stream at once. The total time spent reading from them in one round of the event loop is bounded, so that
// requests and timers get their turn; the agent that has waited longest is read first in the next round.
const ROUND_MS = 3

export interface Listener {
  /** Runs the work for one chunk; afterwards all readers may have to wait for the next round. */
  take(work: () => void): void
  /** Blocked until `unblock`, whatever the other readers do. */
  block(): void
  unblock(): void
  leave(): void
}

/** A stream, or a link to a host. */
export interface Pausable {
  pause(): void
  resume(): void
}

interface QueueSlot {
  stream: Pausable
  blocked: boolean
}

/** In the order in which they were last read. */
const slots = new Set<QueueSlot>()
let spentMs = 0
let ending = false
let holding = false

export function joinListeners(stream: Pausable): Listener {
  const slot: QueueSlot = { stream, blocked: false }
  slots.add(slot)
  return {
    take(work) {
      const began = performance.now()
      work()
      spentMs += performance.now() - began
      if (slots.delete(slot)) slots.add(slot)
      if (spentMs >= ROUND_MS) hold()
      if (ending) return
      ending = true
      setImmediate(endRound)
    },
    block() {
      slot.blocked = true
      stream.pause()
    },
    unblock() {
      slot.blocked = false
      if (!holding) stream.resume()
    },
    leave() {
      slots.delete(slot)
    },
  }
}

function hold(): void {
  if (holding) return
  holding = true
  for (const { stream } of slots) stream.pause()
}

function endRound(): void {
  ending = false
  spentMs = 0
  if (!holding) return
  holding = false
  for (const { stream, blocked } of slots) if (!blocked) stream.resume()
}
