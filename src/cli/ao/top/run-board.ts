// The terminal board while it is open: draws what the stream brings, and does what keys mean.
import { errorText } from '../../../contract/errors.ts'
import { type BoardState, firstState, type Intent, type KeyPress, noteDrawn } from '../../../core/board/board-state.ts'
import { pressKey } from '../../../core/board/press-key.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import type { Io } from '../../print/io.ts'
import { createFullScreen } from '../../print/screen.ts'
import type { Ao } from '../open-ao.ts'
import { attachHere } from '../session/attach-here.ts'
import { carryOut, isOpening, runOwn } from './carry-out.ts'
import { readKeyboard } from './keyboard.ts'
import { followLive } from './live-board.ts'
import { readOpening } from './read-opening.ts'
import { renderBoard } from './render-board.ts'

/** Ages go on; nothing is read for them. */
const AGES_MS = 5_000

export async function runBoard(ao: Ao, io: Io): Promise<number> {
  const over = Promise.withResolvers<void>()
  const screen = createFullScreen(io)
  let state = firstState()
  /** null: the terminal is somebody else's. */
  let releaseKeys: (() => void) | null = null
  /** Signals are a program's own while the terminal is. */
  let disarm = (): void => undefined
  /** Somebody is about to get the terminal, or has it. */
  let isLent = false
  const live = followLive(ao, io, draw)

  function draw(): void {
    if (releaseKeys === null) return
    try {
      const frame = renderBoard(state, live.screen(state))
      screen.draw(frame.lines)
      state = noteDrawn(state, frame.shown, performance.now())
      live.attend(state)
    } catch (error) {
      over.reject(error)
    }
  }
  function set(next: BoardState): void {
    state = next
    draw()
  }
  function press(key: KeyPress | null): void {
    if (key === null) return void over.resolve()
    if (isLent) return
    if (key.kind === 'key' && key.ctrl && key.name === 'z') return void suspend()
    const { state: next, intent } = pressKey(state, key, live.view(state))
    set(next)
    if (intent !== undefined) void act(intent)
  }
  async function act(intent: Intent): Promise<void> {
    try {
      if (intent.kind === 'quit') over.resolve()
      else if (intent.kind === 'join') await attach(intent.sessionId)
      else if (intent.kind === 'own') await lend(async () => set({ ...state, note: await runOwn(ao, intent, io) }))
      else if (isOpening(intent)) {
        set({ ...state, note: '…' })
        const opened = await readOpening(ao, io, intent, (id) => live.view(state).card(id) !== null)
        // Somebody has gone on meanwhile.
        if (state.mode.kind === 'list') set({ ...state, ...opened })
      } else {
        set({ ...state, note: 'sessionId' in intent ? `${intent.sessionId}: …` : '…' })
        const note = await carryOut(ao, io, intent)
        set({ ...state, note })
      }
    } catch (error) {
      set({ ...state, note: errorText(error) })
    }
  }
  async function attach(sessionId: string): Promise<void> {
    isLent = true
    const session = await requireSession(ao.context, sessionId).finally(() => {
      isLent = false
    })
    await lend(() => attachHere(ao, session, io))
  }
  /** The terminal is theirs meanwhile. */
  async function lend(use: () => Promise<unknown>): Promise<void> {
    isLent = true
    leave()
    try {
      await use()
    } finally {
      isLent = false
      enter()
    }
  }
  function enter(): void {
    disarm = io.onInterrupt(leave)
    screen.enter()
    releaseKeys = readKeyboard(io, press)
    draw()
  }
  function leave(): void {
    disarm()
    releaseKeys?.()
    releaseKeys = null
    screen.leave()
  }
  /** The shell gets its terminal back as it was. */
  function suspend(): void {
    if (!isLent) leave()
    process.kill(process.pid, 'SIGSTOP')
  }
  /** Whoever had the terminal meanwhile has changed it. */
  function goOn(): void {
    if (isLent) return
    leave()
    enter()
  }

  process.on('SIGTSTP', suspend)
  process.on('SIGCONT', goOn)
  io.onResize(() => {
    screen.forget()
    draw()
  })
  io.stopped.addEventListener('abort', () => over.resolve())
  const ages = setInterval(draw, AGES_MS)
  enter()
  try {
    await over.promise
  } finally {
    clearInterval(ages)
    process.off('SIGTSTP', suspend)
    process.off('SIGCONT', goOn)
    leave()
  }
  await live.close()
  return 0
}
