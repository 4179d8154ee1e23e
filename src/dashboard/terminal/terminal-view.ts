// One terminal on its way to one browser: opened, kept within limits, ended. What the browser has not drawn yet is limited;
// beyond that the terminal pauses, and shows a whole new picture when the browser is ready again.
import type { WebSocket } from 'ws'
import { errorText } from '../../contract/errors.ts'
import {
  encodeControl,
  encodeData,
  TERMINAL_WINDOW_BYTES,
  type TerminalId,
  type TerminalMode,
  type TerminalServerFrame,
} from '../../contract/terminal-frames.ts'
import type { LiveTerminal, TerminalViewer } from '../../slots/runtime.ts'

export interface TerminalView {
  socket: WebSocket
  terminalId: TerminalId
  mode: TerminalMode
  /** null: not open yet. */
  live: LiveTerminal | null
  opening: Promise<void>
  /** Sent and not acknowledged. */
  underWay: number
  isPaused: boolean
  isOver: boolean
}

interface ViewOptions {
  socket: WebSocket
  terminalId: TerminalId
  mode: TerminalMode
  open(viewer: TerminalViewer): Promise<LiveTerminal>
  /** Nothing follows, and it was not closed from outside. */
  onOver(): void
}

/** Of all terminals of a socket together, what the system has not accepted yet. */
const MAX_BUFFERED_BYTES = 2 * TERMINAL_WINDOW_BYTES

export function openView(options: ViewOptions): TerminalView {
  const { socket, terminalId, mode } = options
  const view: TerminalView = {
    socket,
    terminalId,
    mode,
    live: null,
    opening: Promise.resolve(),
    underWay: 0,
    isPaused: false,
    isOver: false,
  }
  view.opening = open(view, options)
  return view
}

async function open(view: TerminalView, options: ViewOptions): Promise<void> {
  const { terminalId, mode } = view
  const end = (frame: TerminalServerFrame) => {
    if (view.isOver) return
    view.isOver = true
    say(view, frame)
    options.onOver()
  }
  try {
    const live = await options.open({
      onData: (bytes) => pass(view, bytes),
      onSize: (size) => say(view, { type: 'size', terminalId, ...size }),
      onEnd(why) {
        end({ type: 'ended', terminalId, why })
        void view.live?.close()
      },
    })
    view.live = live
    if (view.isOver) await live.close()
    else say(view, { type: 'opened', terminalId, mode, ...live.size })
  } catch (error) {
    end({ type: 'error', terminalId, code: 'unavailable', message: errorText(error), fatal: true })
  }
}

/** The agent's terminal is released; the browser is not notified. */
export async function closeView(view: TerminalView): Promise<void> {
  const wasOver = view.isOver
  view.isOver = true
  await view.opening
  if (!wasOver) await view.live?.close()
}

export function takeAck(view: TerminalView, bytes: number): void {
  view.underWay = Math.max(0, view.underWay - bytes)
  resumeIfReady(view)
}

function pass(view: TerminalView, bytes: Uint8Array): void {
  if (view.isOver) return
  // A picture with a long history is larger than the window. Pausing for it would only lead to another picture.
  const isLarge = bytes.length > TERMINAL_WINDOW_BYTES / 2 && view.underWay === 0
  if (!isLarge) view.underWay += bytes.length
  view.socket.send(encodeData(view.terminalId, bytes), () => resumeIfReady(view))
  const isBehind = view.underWay > TERMINAL_WINDOW_BYTES || view.socket.bufferedAmount > MAX_BUFFERED_BYTES
  if (isLarge || !isBehind || view.isPaused) return
  view.isPaused = true
  view.live?.pause()
}

function resumeIfReady(view: TerminalView): void {
  const isReady = view.underWay < TERMINAL_WINDOW_BYTES / 2 && view.socket.bufferedAmount < MAX_BUFFERED_BYTES / 2
  if (!view.isPaused || view.isOver || !isReady) return
  view.isPaused = false
  view.live?.resume()
}

function say({ socket }: TerminalView, frame: TerminalServerFrame): void {
  socket.send(encodeControl(frame), () => undefined)
}
