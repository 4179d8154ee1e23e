// Keeps the present cards: looks again at what is said to have changed, finds the differences, and numbers them.
import { randomBytes } from 'node:crypto'
import type { Board, Notice, SessionCard } from '../contract/dashboard/cards.ts'
import { errorText } from '../contract/errors.ts'
import type { Log } from '../lib/log.ts'
import type { ManagerContext } from '../manager/context.ts'
import { type ChangeRing, createChangeRing } from './change-ring.ts'
import { createHistoryMemory } from './history-facts.ts'
import type { LiveBoard } from './live-board.ts'
import { readCards } from './read-cards.ts'

export interface BoardKeeper extends LiveBoard {
  /** Names this server's counting of changes. */
  readonly epoch: string
  readonly ring: ChangeRing
  /** The configuration in force, and whether the loop runs; resolves when its cards are read. */
  use(context: ManagerContext, loopRunning: boolean): Promise<void>
  context(): ManagerContext
  /** Everything may have changed. */
  touchAll(): void
  notice(id: string, notice: Omit<Notice, 'id'> | null): void
  /** Called after every change, and when something happened that only one session's readers want to know. */
  subscribe(wake: () => void): () => void
  wake(): void
  close(): void
}

/** What comes within this time is looked at together. */
const SETTLE_MS = 25
/** A busy agent writes all the time: the machine must do other things between two looks. */
const GAP_MS = 100
const MOST_CHANGES = 500
/** A card whose only news is that its agent is still active. */
const STILL_ACTIVE_MS = 5_000

interface State {
  context: ManagerContext
  cards: Map<string, SessionCard>
  rest: Pick<Board, 'projects' | 'notices' | 'loopRunning'>
  ring: ChangeRing
  wakers: Set<() => void>
  dirty: Set<string>
  allDirty: boolean
  timer: NodeJS.Timeout | null
  looking: Promise<void> | null
  closed: boolean
}

export function createBoard(options: { context: ManagerContext; version: string; log: Log }): BoardKeeper {
  const histories = createHistoryMemory()
  const state: State = {
    context: options.context,
    cards: new Map(),
    rest: { projects: [], notices: [], loopRunning: false },
    ring: createChangeRing(MOST_CHANGES),
    wakers: new Set(),
    dirty: new Set(),
    allDirty: true,
    timer: null,
    looking: null,
    closed: false,
  }
  const wake = () => {
    for (const one of state.wakers) one()
  }
  const look = async () => {
    const only = state.allDirty ? null : new Set(state.dirty)
    state.dirty.clear()
    state.allDirty = false
    try {
      const { context } = state
      const cards = await readCards({ context, histories, before: (id) => state.cards.get(id) }, only)
      // Another configuration came into force meanwhile: it is read anew.
      if (context === state.context && takeCards(state, cards, only, histories.forget)) wake()
    } catch (error) {
      options.log.warn(`the board could not be read: ${errorText(error)}`)
    }
  }
  const schedule = (delayMs: number) => {
    if (state.timer !== null || state.looking !== null || state.closed) return
    state.timer = setTimeout(() => {
      state.timer = null
      state.looking = look().finally(() => {
        state.looking = null
        if (state.allDirty || state.dirty.size > 0) schedule(GAP_MS)
      })
    }, delayMs)
  }
  const addChange = (rest: Partial<State['rest']>) => {
    state.rest = { ...state.rest, ...rest }
    state.ring.add({ change: { sessions: [], removed: [], ...rest } })
    wake()
  }
  return {
    epoch: randomBytes(6).toString('hex'),
    ring: state.ring,
    context: () => state.context,
    read: () => ({ sessions: [...state.cards.values()], ...state.rest, version: options.version }),
    card: (sessionId) => state.cards.get(sessionId) ?? null,
    async use(context, loopRunning) {
      state.context = context
      const projects = Object.values(context.config.projects).map(({ id, name }) => ({ id, name }))
      addChange({ projects, loopRunning })
      state.allDirty = true
      await state.looking
      state.looking ??= look().finally(() => {
        state.looking = null
      })
      await state.looking
    },
    touch(sessionId) {
      state.dirty.add(sessionId)
      schedule(SETTLE_MS)
    },
    touchAll() {
      state.allDirty = true
      schedule(SETTLE_MS)
    },
    notice(id, notice) {
      const others = state.rest.notices.filter((one) => one.id !== id)
      addChange({ notices: notice === null ? others : [...others, { id, ...notice }] })
    },
    tellStale(stale) {
      state.ring.add({ stale })
      wake()
    },
    subscribe(waker) {
      state.wakers.add(waker)
      return () => state.wakers.delete(waker)
    },
    wake,
    close() {
      state.closed = true
      if (state.timer !== null) clearTimeout(state.timer)
    },
  }
}

/** false: nothing differs. */
function takeCards(
  state: State,
  cards: SessionCard[],
  only: ReadonlySet<string> | null,
  forget: (sessionId: string) => void,
): boolean {
  const found = new Set(cards.map(({ id }) => id))
  const sessions = cards.filter((card) => differs(state.cards.get(card.id), card))
  const removed = [...(only ?? state.cards.keys())].filter((id) => !found.has(id) && state.cards.has(id))
  for (const card of sessions) state.cards.set(card.id, card)
  for (const id of removed) {
    state.cards.delete(id)
    forget(id)
  }
  if (sessions.length === 0 && removed.length === 0) return false
  state.ring.add({ change: { sessions, removed } })
  return true
}

function differs(before: SessionCard | undefined, now: SessionCard): boolean {
  if (before === undefined) return true
  const moved = Math.abs(Date.parse(now.lastActivityAt) - Date.parse(before.lastActivityAt))
  if (moved > STILL_ACTIVE_MS) return true
  return JSON.stringify({ ...now, lastActivityAt: '' }) !== JSON.stringify({ ...before, lastActivityAt: '' })
}
