// Large replies are built one at a time, each only after the agent has read the previous one: an agent that stops reading
// costs the memory of one reply, not of all.

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
