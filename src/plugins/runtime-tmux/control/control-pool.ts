// One control client per tmux server, open while something in this process holds it, and reopened after it was lost. A
// short command holds none and so starts none.

import type { OpenClients, TmuxServer } from '../tmux-command.ts'
import { type ControlClient, type ControlListener, openControlClient } from './control-client.ts'

export interface ControlPool extends OpenClients {
  hold(server: TmuxServer, listener: ControlListener): ControlHold
}

export interface ControlHold {
  /** The client, opened now if necessary; null: there is no server, or the hold was released. */
  client(): Promise<ControlClient | null>
  /** Resolves when the client is gone, if this was its last holder. */
  release(): Promise<void>
}

interface Held {
  server: TmuxServer
  listeners: Set<ControlListener>
  client: ControlClient | null
  opening: Promise<ControlClient | null> | null
  triedAt: number
}

/** A server that refuses us is retried occasionally, when it is needed. */
const RETRY_MS = 1_000

export function createControlPool(): ControlPool {
  const held = new Map<string, Held>()
  return {
    hold(server, listener) {
      const key = server.address.join(' ')
      const one = held.get(key) ?? newHeld(server)
      held.set(key, one)
      one.listeners.add(listener)
      let released = false
      return {
        client: async () => (released ? null : (one.client ?? open(one))),
        async release() {
          released = true
          one.listeners.delete(listener)
          if (one.listeners.size > 0) return
          if (held.get(key) === one) held.delete(key)
          const client = one.client ?? (await one.opening)
          await client?.close()
        },
      }
    },
    async ask(server, commands, timeoutMs) {
      const one = held.get(server.address.join(' '))
      if (!one) return null
      if (one.client) return one.client.run(commands, timeoutMs)
      // The current query does not wait; the next one finds the client.
      if (performance.now() - one.triedAt > RETRY_MS) void open(one)
      return null
    },
  }
}

function newHeld(server: TmuxServer): Held {
  return { server, listeners: new Set(), client: null, opening: null, triedAt: Number.NEGATIVE_INFINITY }
}

function open(one: Held): Promise<ControlClient | null> {
  one.triedAt = performance.now()
  one.opening ??= openControlClient(one.server, {
    onOutput: (pane, bytes) => notifyAll(one, (listener) => listener.onOutput(pane, bytes)),
    onNotice: (name, rest) => notifyAll(one, (listener) => listener.onNotice(name, rest)),
    onLost() {
      // One that was never open has nothing to lose.
      if (one.client === null) return
      one.client = null
      notifyAll(one, (listener) => listener.onLost())
    },
  })
    // Not even started, e.g. because there are too many open files: the next caller tries again.
    .catch(() => null)
    .then((client) => {
      one.opening = null
      one.client = client
      return client
    })
  return one.opening
}

function notifyAll(one: Held, say: (listener: ControlListener) => void): void {
  for (const listener of [...one.listeners]) say(listener)
}
