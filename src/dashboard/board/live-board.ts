// The board as routes see it, and as the stream and what watches for it do.
import type { Board, Notice, SessionCard } from '../../contract/dashboard/cards.ts'
import type { Stale } from '../../contract/dashboard/stream.ts'
import type { Log } from '../../lib/log.ts'
import type { ManagerContext } from '../../manager/context.ts'
import type { ChangeRing } from './change-ring.ts'

export interface LiveBoard {
  read(): Board
  /** What has changed until now is in it when this resolves. */
  fresh(): Promise<void>
  card(sessionId: string): SessionCard | null
  /** It was worked on just now: look again without waiting for its files to say so. */
  touch(sessionId: string): void
  /** A list that pages show has changed: they ask for it again. */
  publishStale(stale: Stale): void
}

export interface BoardKeeper extends LiveBoard {
  /** Names this server's counting of changes. */
  readonly epoch: string
  readonly ring: ChangeRing
  /** From here on this configuration is in force. */
  use(context: ManagerContext, loopRunning: boolean): void
  context(): ManagerContext
  /** Everything may have changed. */
  touchAll(): void
  /** These instead of all for which `isOld` holds. */
  setNotices(isOld: (notice: Notice) => boolean, notices: Notice[]): void
  /** Called after every change, and when something happened that only one session's readers want to know. */
  subscribe(wake: () => void): () => void
  wake(): void
  close(): void
}

export interface BoardOptions {
  context: ManagerContext
  version: string
  log: Log
  /** Says by `touch` what has changed, while somebody looks. */
  watch(board: BoardKeeper, context: ManagerContext): { close(): void }
}
