// The board from the loop's stream, as the page gets it; without a loop it is read here, by the same code that serves the page.
import type { Board } from '../../../contract/dashboard/cards.ts'
import { STREAM_PATH, type StreamEvent } from '../../../contract/dashboard/stream.ts'
import { errorText } from '../../../contract/errors.ts'
import { changeBoard } from '../../../core/board/board-rows.ts'
import { sleep } from '../../../lib/clock.ts'
import { readIfThere } from '../../../lib/plain-file.ts'
import { readRunState, runFiles, runningPage } from '../../../lifecycle/loop/run-state.ts'
import type { Ao } from '../open-ao.ts'

export interface BoardFeed {
  board: Board
  /** loop: from its stream. here: no loop is running. lost: the stream broke, and what is shown may be old. */
  from: 'loop' | 'here' | 'lost'
}

const AGAIN_MS = 1_000

/** Until `signal` is aborted. */
export async function followBoard(ao: Ao, onFeed: (feed: BoardFeed) => void, signal: AbortSignal): Promise<void> {
  const page = runningPage(ao.paths)
  let last: Board | null = null
  const take = (board: Board, from: BoardFeed['from']) => {
    last = board
    if (!signal.aborted) onFeed({ board, from })
  }
  while (!signal.aborted) {
    const address = page()
    try {
      if (address === undefined) await readHere(ao, { take, until: () => page() !== undefined, signal })
      else await readStream(ao, address, take, signal)
    } catch (error) {
      if (signal.aborted) return
      ao.log.debug(`the board is read again: ${errorText(error)}`)
    }
    if (signal.aborted) return
    if (last !== null && page() !== undefined) take(last, 'lost')
    await sleep(AGAIN_MS, { signal })
  }
}

type Take = (board: Board, from: BoardFeed['from']) => void

async function readStream(ao: Ao, address: string, take: Take, signal: AbortSignal): Promise<void> {
  const { host } = readRunState(runFiles(ao.paths)) ?? {}
  const token = readIfThere(runFiles({ ...ao.paths, hash: host ?? ao.paths.hash }).token)?.trim()
  const { outgoingFetch } = await import('../../../plugins/http-api/outgoing-fetch.ts')
  const response = await outgoingFetch(`${address}${STREAM_PATH}`, {
    headers: { authorization: `Bearer ${token ?? ''}` },
    signal,
  })
  if (!response.ok || response.body === null) throw new Error(`the loop answered ${response.status}`)
  const { createParser } = await import('eventsource-parser')
  let board: Board | null = null
  const parser = createParser({
    onEvent({ event, data }) {
      const { event: kind, data: content } = { event, data: JSON.parse(data) } as StreamEvent
      if (kind === 'board') board = content
      else if (kind === 'change' && board !== null) board = changeBoard(board, content)
      else return
      take(board, 'loop')
    },
  })
  const decoder = new TextDecoder()
  for await (const bytes of response.body) parser.feed(decoder.decode(bytes, { stream: true }))
}

/** Until a loop is running, which is noticed with the next change. */
async function readHere(
  ao: Ao,
  { take, until, signal }: { take: Take; until: () => boolean; signal: AbortSignal },
): Promise<void> {
  const [{ createBoard }, { watchBoard }, { AO_VERSION }] = await Promise.all([
    import('../../../dashboard/board/board.ts'),
    import('../../../dashboard/board/watch-board.ts'),
    import('../../../lib/version.ts'),
  ])
  const board = createBoard({ context: ao.context, version: AO_VERSION ?? '', log: ao.log, watch: watchBoard })
  const over = Promise.withResolvers<void>()
  board.use(ao.context, false)
  const unsubscribe = board.subscribe(() => {
    take(board.read(), 'here')
    if (until()) over.resolve()
  })
  signal.addEventListener('abort', () => over.resolve(), { once: true })
  try {
    await board.fresh()
    take(board.read(), 'here')
    await over.promise
  } finally {
    unsubscribe()
    board.close()
  }
}
