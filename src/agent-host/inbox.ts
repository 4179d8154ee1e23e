// What readers send to the agent's input: each key is written once, in the order of arrival, also when its reader vanishes
// right after sending it.
import type { Writable } from 'node:stream'

export interface Inbox {
  /** Resolves when the agent's pipe has it. false: the input is closed, and it never will. */
  write(bytes: Buffer, key: string | undefined): Promise<boolean>
  /** Nobody will send these again. */
  forget(keys: readonly string[]): void
  taken(): string[]
  end(): void
}

export function createInbox(stdin: Writable): Inbox {
  const taken = new Map<string, Promise<boolean>>()
  // The exit of the agent carries the reason.
  stdin.on('error', () => undefined)
  const send = (bytes: Buffer) =>
    new Promise<boolean>((resolve) => {
      if (!stdin.writable) return resolve(false)
      stdin.write(bytes, (error) => resolve(!error))
    })
  return {
    write(bytes, key) {
      if (key === undefined) return send(bytes)
      const written = taken.get(key) ?? send(bytes)
      taken.set(key, written)
      return written
    },
    forget(keys) {
      for (const key of keys) taken.delete(key)
    },
    taken: () => [...taken.keys()],
    end: () => stdin.end(),
  }
}
