// Pages of histories for readers of the stream. Readers of one session mostly want the same page at the same time: it is
// read and serialized once for all of them, and slow readers hold no copies of their own.
import type { StreamEvent } from '../../contract/dashboard/stream.ts'
import { toPageEvent } from '../../core/status/clip-event.ts'
import type { ProjectPaths } from '../../store/paths.ts'
import { readHistoryPage } from '../../store/session/history.ts'

export interface PlacedPage {
  data: Extract<StreamEvent, { event: 'history' }>['data']
  /** The number of its last event; null: it has none. */
  last: number | null
  next: number
  hasMore: boolean
}

export interface PageRequest {
  sessionId: string
  after: number
  /** Where it begins, if known. */
  from: number | undefined
  /** The current size of the file. */
  size: number
}

const PAGE_EVENTS = 200
/** How much a reader that does not read keeps waiting. */
const PAGE_BYTES = 64 * 1024
/** A new reader gets the end of a long history; older events are read with `ao events`. */
const NEW_READER_BYTES = 512 * 1024
const MOST_KEPT = 32

const kept = new Map<string, PlacedPage>()

export function readPlacedPage(paths: ProjectPaths, request: PageRequest): PlacedPage {
  const key = JSON.stringify([paths.dir, request.sessionId, request.after, request.from ?? null, request.size])
  const page = kept.get(key) ?? read(paths, request)
  kept.delete(key)
  kept.set(key, page)
  for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest)
  return page
}

function read(paths: ProjectPaths, { sessionId, after, from }: PageRequest): PlacedPage {
  const { events, next, hasMore } = readHistoryPage(paths, sessionId, {
    after,
    from,
    maxEvents: PAGE_EVENTS,
    maxBytes: PAGE_BYTES,
    startWithin: NEW_READER_BYTES,
  })
  return { data: { sessionId, events: events.map(toPageEvent) }, last: events.at(-1)?.seq ?? null, next, hasMore }
}
