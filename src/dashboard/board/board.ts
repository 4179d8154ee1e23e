// Keeps the current cards: re-reads what is reported as changed, finds the differences, and numbers them. Does nothing
// while nobody is viewing.
import { randomBytes } from 'node:crypto'
import type { Board, BoardChange, Notice } from '../../contract/dashboard/cards.ts'
import { UNREADABLE_NOTICE } from '../../contract/dashboard/columns.ts'
import { STALE_LISTS } from '../../contract/dashboard/stream.ts'
import { errorText } from '../../contract/errors.ts'
import type { ManagerContext } from '../../manager/context.ts'
import { readSaved } from '../../store/saved.ts'
import { type Audience, createAudience } from '../server/audience.ts'
import { createHistoryMemory, type HistoryMemory, wasEndedByCommand } from '../system/history-facts.ts'
import { type BoardCards, createBoardCards } from './board-cards.ts'
import { type ChangeRing, createChangeRing } from './change-ring.ts'
import { createDamageNotices, type DamageNotices, isDamageNotice } from './damage-notices.ts'
import type { BoardKeeper, BoardOptions } from './live-board.ts'
import { readCards } from './read-cards.ts'
import { createSnoozeTimer, type SnoozeTimer } from './snooze-timer.ts'

/** Changes within this time are read together. */
const SETTLE_MS = 25
/** A busy agent writes all the time: the machine must do other things between two reads. */
const GAP_MS = 100
/** Anything that could not be read may be readable soon. */
const AGAIN_MS = 2_000
const MOST_CHANGES = 500
const SAVED_NOTICE = 'saved'

interface State {
  options: BoardOptions
  context: ManagerContext
  cards: BoardCards
  histories: HistoryMemory
  rest: Pick<Board, 'projects' | 'notices' | 'pins' | 'loopRunning'>
  /** As it was last sent. */
  ended: ReturnType<BoardCards['ended']>
  ring: ChangeRing
  audience: Audience
  dirty: Set<string>
  allDirty: boolean
  timer: NodeJS.Timeout | null
  reading: Promise<void> | null
  damaged: DamageNotices
  snoozed: SnoozeTimer
}

export function createBoard(options: BoardOptions): BoardKeeper {
  const histories = createHistoryMemory()
  const cards = createBoardCards({
    endedByCommand: ({ id, projectId }) => wasEndedByCommand(state.context.store(projectId).paths, id),
    onGone: histories.forget,
  })
  const state: State = {
    options,
    context: options.context,
    cards,
    histories,
    rest: { projects: [], notices: [], pins: [], loopRunning: false },
    ended: cards.ended(),
    ring: createChangeRing(MOST_CHANGES),
    audience: createAudience(() => {
      // Changes were not reported until now.
      state.allDirty = true
      for (const what of STALE_LISTS) state.ring.add({ stale: { what } })
      return options.watch(board, state.context)
    }),
    dirty: new Set(),
    allDirty: true,
    timer: null,
    reading: null,
    damaged: createDamageNotices(),
    snoozed: createSnoozeTimer((id) => board.touch(id)),
  }
  const board: BoardKeeper = {
    epoch: randomBytes(6).toString('hex'),
    ring: state.ring,
    context: () => state.context,
    read: () => ({
      sessions: [...cards.cards.values()],
      ended: { ...state.ended, next: cards.next() },
      ...state.rest,
      version: options.version,
    }),
    older: () => [...cards.older.values()],
    position: () => ({ epoch: board.epoch, change: state.ring.last() }),
    card: (sessionId) => cards.cards.get(sessionId) ?? null,
    fresh: () => freshen(state),
    use(context, loopRunning) {
      state.context = context
      cards.restart()
      state.allDirty = true
      const projects = Object.values(context.config.projects).map(({ id, name }) => ({ id, name }))
      addChange(state, { projects, loopRunning })
      state.audience.restart()
      schedule(state, SETTLE_MS)
    },
    touch(sessionId) {
      state.dirty.add(sessionId)
      schedule(state, SETTLE_MS)
    },
    touchAll() {
      state.allDirty = true
      schedule(state, SETTLE_MS)
    },
    setNotices: (isOld, given) => setNotices(state, isOld, given),
    publishStale(stale) {
      state.ring.add({ stale })
      state.audience.wake()
    },
    subscribe: state.audience.join,
    wake: state.audience.wake,
    close() {
      state.audience.close()
      state.snoozed.stop()
      if (state.timer !== null) clearTimeout(state.timer)
    },
  }
  return board
}

function schedule(state: State, delayMs: number): void {
  // Nobody is viewing: the next viewer reads everything.
  if (!state.audience.isThere() || state.timer !== null || state.reading !== null) return
  state.timer = setTimeout(() => {
    state.timer = null
    void readDirty(state)
  }, delayMs)
}

/** When this resolves, every reported change has been read. */
async function freshen(state: State): Promise<void> {
  if (!state.audience.isThere()) state.allDirty = true
  await state.reading
  if (state.allDirty || state.dirty.size > 0) await readDirty(state)
}

function readDirty(state: State): Promise<void> {
  state.reading ??= readDirtyOnce(state).then((isRead) => {
    state.reading = null
    if (state.allDirty || state.dirty.size > 0) schedule(state, isRead ? GAP_MS : AGAIN_MS)
  })
  return state.reading
}

/** false: it could not be read, and is read again. Never rejects. */
async function readDirtyOnce(state: State): Promise<boolean> {
  const { context, histories, cards } = state
  const only = state.allDirty ? null : new Set(state.dirty)
  // Something beside the session itself may have changed: its history, for one.
  const dirty = new Set(state.dirty)
  state.dirty.clear()
  state.allDirty = false
  try {
    const reading = { context, histories, before: (id: string) => cards.cards.get(id) }
    const read = await readCards(reading, only, {
      byId: cards.byId,
      withoutCard: (stored) => cards.withoutCard(stored, dirty),
      isShown: (session) => !dirty.has(session.id) && cards.isShown(session),
    })
    // Another configuration took effect meanwhile: it is read anew.
    if (context !== state.context) return true
    publish(state, cards.take(read, only))
    state.snoozed.set(cards.cards.values(), context.clock.now().getTime())
    setNotices(state, isOurs, [...state.damaged.take(state, read, only), ...publishPins(state)])
    return true
  } catch (error) {
    const why = errorText(error)
    state.options.log.warn(`the board could not be read: ${why}`)
    const text = `The sessions could not be read, so what you see is old or incomplete: ${why}`
    setNotices(state, ({ id }) => id === UNREADABLE_NOTICE, [{ id: UNREADABLE_NOTICE, level: 'error', text }])
    state.allDirty = true
    return false
  }
}

/** A notice when the file that keeps them is damaged. */
function publishPins(state: State): Notice[] {
  const { pins, problem } = readSaved(state.context.paths)
  if (JSON.stringify(pins) !== JSON.stringify(state.rest.pins)) addChange(state, { pins })
  return problem === null ? [] : [{ id: SAVED_NOTICE, level: 'warn', text: problem }]
}

function isOurs(notice: Notice): boolean {
  return notice.id === UNREADABLE_NOTICE || notice.id === SAVED_NOTICE || isDamageNotice(notice)
}

function setNotices(state: State, isOld: (notice: Notice) => boolean, given: Notice[]): void {
  const notices = [...state.rest.notices.filter((one) => !isOld(one)), ...given]
  if (JSON.stringify(notices) !== JSON.stringify(state.rest.notices)) addChange(state, { notices })
}

function publish(state: State, change: Pick<BoardChange, 'sessions' | 'removed'>): void {
  const ended = state.cards.ended()
  const isSame = JSON.stringify(ended) === JSON.stringify(state.ended)
  if (isSame && change.sessions.length === 0 && change.removed.length === 0) return
  state.ended = ended
  state.ring.add({ change: isSame ? change : { ...change, ended } })
  state.audience.wake()
}

function addChange(state: State, rest: Partial<State['rest']>): void {
  state.rest = { ...state.rest, ...rest }
  state.ring.add({ change: { sessions: [], removed: [], ...rest } })
  state.audience.wake()
}
