// What the page knows from its stream, as hooks. One stream for the whole page.
import { useEffect, useSyncExternalStore } from 'react'
import type { EndedAnswer, SessionCard } from '../../../src/contract/dashboard/cards.ts'
import type { Pin } from '../../../src/contract/dashboard/search.ts'
import { STALE_LISTS, type StreamCursor, type StreamEvent } from '../../../src/contract/dashboard/stream.ts'
import { setNeedingCount } from '../shell/tab-title.ts'
import { setServerTime } from '../ui/text/time-ago.tsx'
import { applyChange, applyPage, type BoardState, readBoard } from './board-store.ts'
import { ask } from './client.ts'
import { queryClient } from './query-client.ts'
import { restWhenHidden } from './rest-when-hidden.ts'
import { EMPTY_FEED, mergeHistory, type SessionFeed, takeMessages, takePart } from './session-feed.ts'
import { type Connection, createStreamClient, type StreamClient } from './stream-client.ts'

let board: BoardState | null = null
let feed: SessionFeed = EMPTY_FEED
let connection: Connection = { state: 'connecting' }
let client: StreamClient | null = null
const listeners = new Set<() => void>()

/** null: nothing has arrived yet. */
export function useBoard(): BoardState | null {
  return useSyncExternalStore(subscribe, () => board)
}

/** Rendered again only when this card changes. */
export function useCard(id: string): SessionCard | null {
  return useSyncExternalStore(subscribe, () => board?.cards.get(id) ?? null)
}

const NO_PINS: readonly Pin[] = []

/** The oldest pin first. */
export function usePins(): readonly Pin[] {
  return useSyncExternalStore(subscribe, () => board?.pins ?? NO_PINS)
}

export function usePin(id: string): Pin | null {
  return usePins().find(({ session }) => session === id) ?? null
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection)
}

/** History and transcript of this session, while the caller is mounted. */
export function useSessionFeed(sessionId: string): SessionFeed {
  useEffect(() => {
    watchSession(sessionId)
    return () => watchSession(null)
  }, [sessionId])
  const shown = useSyncExternalStore(subscribe, () => feed)
  return shown.sessionId === sessionId ? shown : EMPTY_FEED
}

/** Called once, by the shell. */
export function startLive(): () => void {
  client = createStreamClient({
    onEvent: take,
    onServerTime: setServerTime,
    onConnection(next) {
      connection = next
      if (next.state === 'live') askAgain()
      if (next.state === 'live' && board) setNeedingCount(board.columns.needs_you.length)
      if (next.state === 'lost' || next.state === 'refused' || next.state === 'silent') setNeedingCount('offline')
      tell()
    },
  })
  client.watch(feed.sessionId)
  const stopCaring = restWhenHidden({
    isScarce: () => client?.isScarce() === true,
    rest() {
      client?.stop()
      setNeedingCount('paused')
    },
    wake: reconnectNow,
  })
  document.addEventListener('visibilitychange', retryWhenSeen)
  return () => {
    document.removeEventListener('visibilitychange', retryWhenSeen)
    stopCaring()
    client?.stop()
    client = null
  }
}

/** A person who was refused comes back from another tab, where they may have signed in. */
function retryWhenSeen(): void {
  if (document.visibilityState === 'visible' && connection.state === 'refused') reconnectNow()
}

/** Anything that could not be requested while the server was away. */
function askAgain(): void {
  void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
}

/** Lists that were read before the stream began: nobody has said what changed in between. */
async function askOnceMore(): Promise<void> {
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => STALE_LISTS.some((what) => what === queryKey[0]) })
}

export function reconnectNow(): void {
  client?.retryNow()
}

function watchSession(sessionId: string | null): void {
  if (feed.sessionId !== sessionId) feed = { ...EMPTY_FEED, sessionId }
  client?.watch(sessionId)
}

function take(event: StreamEvent, cursor: StreamCursor | null): void {
  if (event.event === 'board') {
    // A second whole board: the server restarted, and what it called stale meanwhile is unknown.
    void (board ? queryClient.invalidateQueries() : askOnceMore())
    takeBoard(readBoard(event.data, cursor ?? { epoch: '', change: 0 }))
  }
  if (event.event === 'change' && board) takeBoard(applyChange(board, event.data, cursor?.change ?? 0))
  if (event.event === 'history' && event.data.sessionId === feed.sessionId) {
    feed = { ...feed, history: mergeHistory(feed.history, event.data.events) }
  }
  if (event.event === 'transcript' && event.data.sessionId === feed.sessionId) {
    feed = { ...feed, ...takeMessages(feed, event.data.messages, event.data.older) }
  }
  if (event.event === 'stale') {
    const { what, projectId } = event.data
    // A list over all projects has null in the project's place.
    const isMeant = (of: unknown) => projectId === undefined || of === projectId || of == null
    void queryClient.invalidateQueries({ queryKey: [what], predicate: ({ queryKey }) => isMeant(queryKey[1]) })
  }
  tell()
}

let isLoadingOlder = false

/** What comes before the conversation that is here: a page of it, or everything from a message on. */
export async function loadOlder(sessionId: string, from?: number): Promise<void> {
  const before = feed.older
  if (isLoadingOlder || feed.sessionId !== sessionId || before === null) return
  isLoadingOlder = true
  try {
    const query = { before, ...(from !== undefined && { from }) }
    const page = await ask('GET /api/sessions/:id/transcript', { params: { id: sessionId }, query })
    // Another session, or the stream began anew: it says itself what is here.
    if (feed.sessionId !== sessionId || feed.older !== before) return
    feed = { ...feed, ...takePart(feed, page) }
    tell()
  } finally {
    isLoadingOlder = false
  }
}

/** A page of ended sessions has come. false: it is of another board and has to be asked for again. */
export function takeEnded(page: EndedAnswer): boolean {
  const next = board && applyPage(board, page)
  if (!next) return false
  takeBoard(next)
  tell()
  return true
}

function takeBoard(next: BoardState): void {
  board = next
  setNeedingCount(board.columns.needs_you.length)
}

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
