// Who waits for the turn of a queued prompt, as promises. Whether the prompt still waits is in the session's state.

export interface PromptWaiter {
  /** Rejects when the prompt was withdrawn for good; resolves when a withdrawal failed, and the prompt waits again. */
  decided(): Promise<void>
  withdraw(error: Error): void
  putBack(): void
}

export function createPromptWaiter(): PromptWaiter {
  let next = open()
  return {
    decided: () => next.promise,
    withdraw: (error) => next.reject(error),
    putBack() {
      next.resolve()
      next = open()
    },
  }
}

function open(): PromiseWithResolvers<void> {
  const next = Promise.withResolvers<void>()
  // A sender that is not waiting now learns of it from the session's state.
  next.promise.catch(() => undefined)
  return next
}
