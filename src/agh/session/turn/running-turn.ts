// A running turn as promises: what others wait for while the agent works. Its data is in the session's state.

export interface RunningTurn {
  readonly id: string
  /** Resolves when the prompt is on its way to the agent. */
  readonly setup: Promise<void>
  /** true: it has been sent to the agent. false: it never will be. */
  readonly handedOver: Promise<boolean>
  /** Resolves when the turn's last event is written. */
  readonly ended: Promise<void>
  markHandedOver(isDone: boolean): void
  /** Its last event is on its way to the disk. */
  markRecording(recorded: Promise<void>): void
  /** Resolves when that event is written; immediately while there is none. */
  recorded(): Promise<void>
  /** Nothing needs to wait for it. */
  close(): void
}

export function openTurn(id: string): RunningTurn {
  const setup = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const handedOver = Promise.withResolvers<boolean>()
  let recording = Promise.resolve()
  const markHandedOver = (isDone: boolean) => {
    handedOver.resolve(isDone)
    setup.resolve()
  }
  return {
    id,
    setup: setup.promise,
    handedOver: handedOver.promise,
    ended: ended.promise,
    markHandedOver,
    markRecording: (recorded) => {
      recording = recorded
    },
    recorded: () => recording,
    close() {
      markHandedOver(false)
      ended.resolve()
    },
  }
}
