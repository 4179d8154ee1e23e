// The board for scrapers. One comes back every few seconds: until then the board is kept current as for an open page, so that
// a scrape reads only the sessions that changed since the last one.
import type { Board } from '../../contract/dashboard/cards.ts'
import type { BoardKeeper } from '../board/live-board.ts'

export interface ScrapedBoard {
  read(): Promise<Board>
  close(): void
}

/** Longer than anybody waits between two scrapes. */
const LINGER_MS = 5 * 60_000

export function createScrapedBoard(board: BoardKeeper, lingerMs = LINGER_MS): ScrapedBoard {
  let leave: (() => void) | null = null
  let timer: NodeJS.Timeout | null = null
  const close = () => {
    if (timer !== null) clearTimeout(timer)
    leave?.()
    leave = null
    timer = null
  }
  return {
    async read() {
      leave ??= board.subscribe(() => undefined)
      if (timer !== null) clearTimeout(timer)
      timer = setTimeout(close, lingerMs)
      timer.unref()
      await board.fresh()
      return board.read()
    },
    close,
  }
}
