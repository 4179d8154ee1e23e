// Large replies are made one after the other, each only when the agent has taken what was written before: an agent that
// reads nothing costs one of them, not all.

export type ReplyGate = <T>(make: () => T | Promise<T>) => Promise<T>

export function createReplyGate(drained: () => Promise<void>): ReplyGate {
  let last: Promise<unknown> = Promise.resolve()
  return (make) => {
    const mine = last.then(drained).then(make)
    last = mine.then(nextRound, nextRound)
    return mine
  }
}

/** By then the reply has been written to the pipe. */
function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
