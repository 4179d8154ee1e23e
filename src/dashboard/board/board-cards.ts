// The cards that the board has, and the ended sessions that it only counts: a page asks for those when somebody wants to see
// them (sessions/read-ended.ts), so that reading and sending the board costs what is at work and not what ever was.
import type { Board, BoardChange, SessionCard } from '../../contract/dashboard/cards.ts'
import type { Session } from '../../contract/session.ts'
import {
  BEGINNING,
  compareEnded,
  type EndedPosition,
  endedPosition,
  FIRST_ENDED,
  formatPosition,
  isSettled,
} from '../../core/board/ended-pages.ts'
import { spentOf, sumSpent } from '../../core/status/spent.ts'
import { staysTheSame } from '../../manager/active.ts'
import type { CardsRead } from './read-cards.ts'

export interface BoardCards {
  readonly cards: ReadonlyMap<string, SessionCard>
  /** Ended sessions without a card, by id: nobody has to do anything about them. */
  readonly older: ReadonlyMap<string, Session>
  ended(): Omit<Board['ended'], 'next'>
  /** Behind which position all those without a card are; null: there are none. */
  next(): string | null
  /**
   * Which of all sessions need no card: as they were when they were last seen, or, the first time, long ended. `dirty`:
   * something beside their records may have changed.
   */
  withoutCard(stored: Session[], dirty: ReadonlySet<string>): ReadonlySet<Session>
  /** The same map as before while the sessions are the same: thousands of them are read again every few seconds. */
  byId(stored: readonly Session[]): ReadonlyMap<string, Session>
  /** Its card was made of this very session. */
  isShown(session: Session): boolean
  /** From here on all sessions are other objects. */
  restart(): void
  /** What differs from before; `only` null: everything was read. */
  take(read: CardsRead, only: ReadonlySet<string> | null): Pick<BoardChange, 'sessions' | 'removed'>
}

export interface CardsOptions {
  /** Whether a command ended it, as its history says. */
  endedByCommand(stored: Session): boolean
  /** It no longer has a card. */
  onGone(sessionId: string): void
}

export function createBoardCards({ endedByCommand, onGone }: CardsOptions): BoardCards {
  const cards = new Map<string, SessionCard>()
  /** What each card was made of. */
  const sources = new Map<string, Session>()
  let found = new Map<string, Session>()
  let older = new Map<string, Session>()
  /** The values of `older`, and what follows from them. null: not known since they changed. */
  let settled: ReadonlySet<Session> | null = null
  let cached: ReturnType<typeof summarise> | null = null
  let isFirst = true

  function changeOlder(change: () => unknown): void {
    change()
    settled = null
    cached = null
  }

  function forgetOlder(id: string): void {
    if (older.has(id)) changeOlder(() => older.delete(id))
  }

  function ofOlder(): ReturnType<typeof summarise> {
    cached ??= summarise(older.values())
    return cached
  }

  function drop(id: string): void {
    cards.delete(id)
    sources.delete(id)
    onGone(id)
  }

  /** Of the ended ones only the newest keep their card. */
  function trim(): void {
    const ended = [...cards.values()].filter(isOver).map(({ id, statusSince }) => ({ id, since: statusSince }))
    for (const { id } of ended.sort(compareEnded).slice(FIRST_ENDED)) {
      const stored = found.get(id)
      if (!stored || !staysTheSame(stored)) continue
      drop(id)
      changeOlder(() => older.set(id, stored))
    }
  }

  return {
    cards,
    get older() {
      return older
    },
    ended() {
      const shown = [...cards.values()].filter(isOver)
      const spent = sumSpent([...shown.map((card) => card.spent), ofOlder().spent])
      return { total: shown.length + older.size, spent }
    },
    next() {
      const { newest } = ofOlder()
      if (newest === null) return null
      const shown = [...cards.values()].filter(isOver).map(({ id, statusSince }) => ({ id, since: statusSince }))
      const before = shown.filter((one) => compareEnded(one, newest) < 0).sort(compareEnded)
      return formatPosition(before.at(-1) ?? BEGINNING)
    },
    withoutCard(stored, dirty) {
      const isAsItWas = (one: Session) => !dirty.has(one.id) && staysTheSame(one) && found.get(one.id) === one
      if (!isFirst && settled && isEach(settled, isAsItWas)) return settled
      const candidates = stored.filter(isAsItWas)
      if (!isFirst) return new Set(candidates.filter((one) => older.get(one.id) === one))
      const ended = candidates.filter(
        (one) => !cards.has(one.id) && (isAsBefore(older, one) || isSettled(one, endedByCommand)),
      )
      const inOrder = ended.map((one) => ({ ...endedPosition(one), stored: one })).sort(compareEnded)
      return new Set(inOrder.slice(FIRST_ENDED).map((one) => one.stored))
    },
    byId(stored) {
      if (stored.length === found.size && stored.every((one) => found.get(one.id) === one)) return found
      found = new Map()
      for (const one of stored) found.set(one.id, one)
      return found
    },
    isShown: (session) => sources.get(session.id) === session,
    restart() {
      sources.clear()
      isFirst = true
    },
    take(read, only) {
      const isGone = (id: string) => !read.found.has(id) && (cards.has(id) || older.has(id))
      const removed = (only === null ? [cards.keys(), older.keys()] : [only]).flatMap((ids) => those(ids, isGone))
      const sessions = read.cards.map(({ card }) => card).filter((card) => differs(cards.get(card.id), card))
      for (const { session } of read.cards) {
        sources.set(session.id, session)
        forgetOlder(session.id)
      }
      for (const card of sessions) cards.set(card.id, card)
      for (const id of removed) {
        drop(id)
        forgetOlder(id)
      }
      if (only !== null) return { sessions, removed }
      isFirst = false
      if (read.withoutCard !== settled) {
        older = new Map()
        for (const one of read.withoutCard) older.set(one.id, one)
        settled = read.withoutCard
        cached = null
      }
      trim()
      return { sessions, removed }
    },
  }
}

/** Without a copy of thousands of them. */
function isEach<T>(all: Iterable<T>, holds: (one: T) => boolean): boolean {
  for (const one of all) if (!holds(one)) return false
  return true
}

function those<T>(all: Iterable<T>, holds: (one: T) => boolean): T[] {
  const found: T[] = []
  for (const one of all) if (holds(one)) found.push(one)
  return found
}

function summarise(older: Iterable<Session>): { spent: Board['ended']['spent']; newest: EndedPosition | null } {
  let newest: EndedPosition | null = null
  const spent: Array<ReturnType<typeof spentOf>> = []
  for (const one of older) {
    spent.push(spentOf(one))
    const position = endedPosition(one)
    if (newest === null || compareEnded(position, newest) < 0) newest = position
  }
  return { spent: sumSpent(spent), newest }
}

/** Another configuration is in effect, and its record says the same. */
function isAsBefore(older: ReadonlyMap<string, Session>, now: Session): boolean {
  const before = older.get(now.id)
  return before?.status === now.status && endedPosition(before).since === endedPosition(now).since
}

function isOver({ column }: SessionCard): boolean {
  return column === 'done'
}

/** A card whose only news is that its agent is still active. */
const STILL_ACTIVE_MS = 5_000

function differs(before: SessionCard | undefined, now: SessionCard): boolean {
  if (before === undefined) return true
  const moved = Math.abs(Date.parse(now.lastActivityAt) - Date.parse(before.lastActivityAt))
  if (moved > STILL_ACTIVE_MS) return true
  return JSON.stringify({ ...now, lastActivityAt: '' }) !== JSON.stringify({ ...before, lastActivityAt: '' })
}
