// What a process counts about itself. Whoever does something publishes it here; a server that offers `/metrics` subscribes.
// Without a subscriber a publication costs nothing.
import { channel } from 'node:diagnostics_channel'
import type { Session } from '../contract/session.ts'

type Outcome = 'success' | 'failure'

/** `repository` is the hash of a configuration, as in addresses and data directories. */
interface OfProject {
  repository: string
  project: string
}

export interface Measures {
  /** One round of the loop over a project. */
  tick: OfProject & { kind: 'poll' | 'forge' | 'changes'; seconds: number }
  /** All sessions of a project, as a round of the loop left them. Lazy: there may be thousands. */
  sessions: OfProject & { sessions(): readonly Session[] }
  /** The sessions that a round of the loop observed, whichever round, with what it saw. Lazy. */
  observed: OfProject & { sessions(): readonly Session[] }
  /** How many sessions of a project cannot be reached in each place, after a round over all of them. */
  places: OfProject & { unreachable: ReadonlyMap<string, number> }
  /** A spawn, kill, send and so on, by whoever asked for it in this process. */
  operation: OfProject & { operation: string; outcome: Outcome; seconds: number }
  reaction: OfProject & { session: string; reaction: string; action: string; outcome: Outcome; seconds: number }
  message: OfProject & { level: string }
  notification: { notifier: string; outcome: Outcome }
  /** What an agent used since this was last recorded. */
  usage: OfProject & { agent: string; tokens: number; costUsd: number }
  /** Spans for a collector of OpenTelemetry. */
  telemetry: { outcome: 'sent' | 'dropped'; spans: number }
  /** A pull request that left the train or landed. */
  train: OfProject & { outcome: string }
  /** A request to a forge or tracker. `status` 0: there was no response. */
  forgeRequest: { service: string; status: number; seconds: number }
  /** What a forge or tracker still allows. */
  forgeLimit: { service: string; resource: string; limit: number; remaining: number; resetAt: number }
  /** A turn of an agh session has ended. */
  turn: { agent: string; outcome: string; tokens: number }
  /** An agh session has ended. */
  sessionEnd: { agent: string; reason: string }
}

export function measure<K extends keyof Measures>(name: K, value: Measures[K]): void {
  const found = channel(`ao:${name}`)
  if (found.hasSubscribers) found.publish(value)
}

/** Returns the end of it. */
export function onMeasure<K extends keyof Measures>(name: K, take: (value: Measures[K]) => void): () => void {
  const found = channel(`ao:${name}`)
  const listener = (value: unknown) => take(value as Measures[K])
  found.subscribe(listener)
  return () => found.unsubscribe(listener)
}
