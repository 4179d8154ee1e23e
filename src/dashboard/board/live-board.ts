// The board as seen by routes, the stream and its watchers.
import type { Board, Notice, SessionCard } from '../../contract/dashboard/cards.ts'
import type { Stale } from '../../contract/dashboard/stream.ts'
import type { Session } from '../../contract/session.ts'
import type { Log } from '../../lib/log.ts'
import type { ManagerContext } from '../../manager/context.ts'
import type { ChangeRing } from './change-ring.ts'

export interface LiveBoard {
  /** All that are at work or need somebody, and the newest of those that have ended. */
  read(): Board
  /** The others, as they are stored. */
  older(): Session[]
  /** How far the stream is. */
  position(): { epoch: string; change: number }
  /** When this resolves, all changes so far are included. */
  fresh(): Promise<void>
  card(sessionId: string): SessionCard | null
  /** It was changed just now: read it again without waiting for a file event. */
  touch(sessionId: string): void
  /** A list that pages show has changed: they fetch it again. */
  publishStale(stale: Stale): void
}

export interface BoardKeeper extends LiveBoard {
  /** Identifies this server's count of changes. */
  readonly epoch: string
  readonly ring: ChangeRing
  /** From here on this configuration is in effect. */
  use(context: ManagerContext, loopRunning: boolean): void
  context(): ManagerContext
  /** Everything may have changed. */
  touchAll(): void
  /** These replace all for which `isOld` holds. */
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
  /** Reports changes by `touch`, while somebody is viewing. */
  watch(board: BoardKeeper, context: ManagerContext): { close(): void }
}
