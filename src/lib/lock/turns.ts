// One after another within this process: what comes under a key waits until everything that came before it under that key has
// ended, well or not. Across processes there is lock.ts.

export interface Turns {
  /** Begins in its turn. What fails does not keep the next from beginning. */
  run<T>(key: string, work: () => T | Promise<T>): Promise<T>
  /** A turn to be left by hand. `before` never rejects. */
  join(key: string): { before: Promise<void>; leave(): void }
  isTaken(key: string): boolean
  /** When everything that has come so far has ended. */
  ended(): Promise<unknown>
}

export function createTurns(): Turns {
  const ends = new Map<string, Promise<void>>()

  function join(key: string) {
    const before = ends.get(key) ?? Promise.resolve()
    const { promise: mine, resolve: leave } = Promise.withResolvers<void>()
    const end = before
      .then(() => mine)
      .then(() => {
        if (ends.get(key) === end) ends.delete(key)
      })
    ends.set(key, end)
    return { before, leave }
  }

  async function run<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const { before, leave } = join(key)
    await before
    try {
      return await work()
    } finally {
      leave()
    }
  }

  return { run, join, isTaken: (key) => ends.has(key), ended: () => Promise.all(ends.values()) }
}
