// Keeps the page's one stream open: continues at its cursor after a break, waits longer after each failure, and reports its
// state. Knows nothing of what the events mean.
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import {
  formatCursor,
  HEARTBEAT_MS,
  parseCursor,
  type StreamCursor,
  type StreamEvent,
} from '../../../src/contract/dashboard/stream.ts'
import { type LeanCard, wholeCard } from '../../../src/core/board/lean-card.ts'
import { RequestError } from './request-error.ts'
import { type LineTools, openLine, type StreamLine } from './stream-line.ts'

export type Connection =
  | { state: 'connecting' }
  | { state: 'live' }
  /** Connected, but the server has said nothing since then, although it says something every few seconds. */
  | { state: 'silent'; since: number }
  /** What is shown is from `since`; the next attempt is at `retryAt` (ms since 1970). */
  | { state: 'lost'; why: string; since: number; retryAt: number }
  /** Retrying is of no use until the person does something. */
  | { state: 'refused'; why: string; hint: string | null; isSignedOut: boolean }

export interface StreamClient {
  /** Reopens the stream for this session's page, or for none, where the board left off. */
  watch(sessionId: string | null): void
  retryNow(): void
  stop(): void
  /** It takes one of the browser's few HTTP connections. */
  isScarce(): boolean
}

interface Options extends Partial<LineTools> {
  /** `cursor`: what the page has with this event. */
  onEvent: (event: StreamEvent, cursor: StreamCursor | null) => void
  onConnection: (connection: Connection) => void
  /** The server's clock, in ms since 1970. */
  onServerTime?: (at: number) => void
  now?: () => number
  random?: () => number
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000
/** Two heartbeats are missing: one must not believe what is shown. */
const SILENT_MS = 2.5 * HEARTBEAT_MS
/** The connection is taken for dead. */
const DEAD_MS = 5 * HEARTBEAT_MS

export function createStreamClient({ onEvent, onConnection, onServerTime, ...given }: Options): StreamClient {
  const tools: LineTools = {
    fetch: given.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args)),
    WebSocket: given.WebSocket === undefined ? WebSocket : given.WebSocket,
  }
  const now = given.now ?? Date.now
  const random = given.random ?? Math.random
  let cursor: string | null = null
  let session: string | null = null
  let lostSince: number | null = null
  /** When the server was last heard from: a computer that slept finds out much later that the connection is dead. */
  let heardAt: number | null = null
  let failures = 0
  let line = new AbortController()
  let kind: StreamLine['kind'] = 'socket'
  let timer: ReturnType<typeof setTimeout> | undefined

  async function open(): Promise<void> {
    clearTimeout(timer)
    line.abort()
    const mine = new AbortController()
    line = mine
    const failure = await read(mine).catch((error: unknown) => error)
    // A newer connection has taken over, or the page is gone.
    if (line !== mine || mine.signal.reason === 'stop') return
    lose(failure)
  }

  async function read(mine: AbortController): Promise<never> {
    const giveUp = () => mine.abort(new Error('The server has gone silent.'))
    const opening = setTimeout(giveUp, DEAD_MS)
    const opened = await openLine({ session, cursor, signal: mine.signal }, tools).finally(() => clearTimeout(opening))
    if (line !== mine) throw mine.signal.reason
    kind = opened.kind
    failures = 0
    lostSince = null
    heardAt = now()
    onConnection({ state: 'live' })
    await pump(opened.text, mine, giveUp)
    throw new Error('The server closed the connection.')
  }

  async function pump(text: ReadableStream<string>, mine: AbortController, giveUp: () => void): Promise<void> {
    const parser = createParser({ onEvent: take, onComment: takeTime })
    const reader = text.getReader()
    for (;;) {
      let isSilent = false
      const silent = setTimeout(() => {
        isSilent = true
        onConnection({ state: 'silent', since: heardAt ?? now() })
      }, SILENT_MS)
      const dead = setTimeout(giveUp, DEAD_MS)
      const { value, done } = await reader.read().finally(() => {
        clearTimeout(silent)
        clearTimeout(dead)
      })
      if (done || line !== mine) return
      heardAt = now()
      if (isSilent) onConnection({ state: 'live' })
      parser.feed(value)
    }
  }

  /** The heartbeat says what time it is there. */
  function takeTime(comment: string): void {
    const at = Date.parse(comment)
    if (!Number.isNaN(at)) onServerTime?.(at)
  }

  function take({ id, event, data }: EventSourceMessage): void {
    if (id !== undefined) cursor = id
    onEvent(readEvent(event, JSON.parse(data)), parseCursor(cursor ?? ''))
  }

  function lose(failure: unknown): void {
    const refused = failure instanceof RequestError && failure.status >= 400 && failure.status < 500
    if (refused && failure.status !== 404) {
      onConnection({
        state: 'refused',
        why: failure.message,
        hint: failure.hint,
        isSignedOut: failure.status === 401,
      })
      return
    }
    const wait = waitBefore(failures, random())
    failures += 1
    lostSince ??= heardAt ?? now()
    onConnection({ state: 'lost', why: textFor(failure), since: lostSince, retryAt: now() + wait })
    timer = setTimeout(open, wait)
  }

  onConnection({ state: 'connecting' })
  return {
    watch(sessionId) {
      if (sessionId === session && cursor !== null) return
      session = sessionId
      cursor = forgetSession(cursor)
      void open()
    },
    retryNow: () => void open(),
    isScarce: () => kind === 'events',
    stop() {
      clearTimeout(timer)
      line.abort('stop')
    },
  }
}

/** Half of it is random, so that many pages do not come back at once. */
export function waitBefore(failures: number, chance: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures)
  return Math.round(longest / 2 + (longest / 2) * chance)
}

/** The board continues; history and transcript of the next session start from the beginning. */
export function forgetSession(cursor: string | null): string | null {
  const position = cursor === null ? null : parseCursor(cursor)
  return position && formatCursor({ ...position, history: 0, transcript: 0 })
}

function textFor(failure: unknown): string {
  if (failure instanceof RequestError) return failure.message
  // What fetch throws differs between browsers and says nothing more.
  if (failure instanceof TypeError || (failure instanceof DOMException && failure.name === 'NetworkError'))
    return 'The server does not answer.'
  return failure instanceof Error ? failure.message : 'The connection broke.'
}

/** Of the cards, the server sends only what nearly all of them do not have. */
function readEvent(event: string | undefined, data: { sessions: LeanCard[] }): StreamEvent {
  const isBoard = event === 'board' || event === 'change'
  return { event, data: isBoard ? { ...data, sessions: data.sessions.map(wholeCard) } : data } as StreamEvent
}
