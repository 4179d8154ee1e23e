// The board as routes see it: what it shows now, and how to say that something has changed.
import type { Board, SessionCard } from '../contract/dashboard/cards.ts'
import type { StreamEvent } from '../contract/dashboard/stream.ts'

export type Stale = Extract<StreamEvent, { event: 'stale' }>['data']

export interface LiveBoard {
  read(): Board
  /** What has changed until now is in it when this resolves. */
  fresh(): Promise<void>
  card(sessionId: string): SessionCard | null
  /** It was worked on just now: look again without waiting for its files to say so. */
  touch(sessionId: string): void
  /** A list that pages show has changed: they ask for it again. */
  tellStale(stale: Stale): void
}
