// An agent's terminal for a viewer that is not a local terminal, e.g. a web page: the host draws, we pass it on.
import { connect, type Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { AoError } from '../../contract/errors.ts'
import type { TerminalSize } from '../../contract/terminal-frames.ts'
import type { LiveTerminal, TerminalViewer } from '../../slots/runtime.ts'
import { type HostAnswer, type HostEvent, readLines, writeLine } from './host/host-protocol.ts'
import type { ProcessHandle } from './process-handle.ts'

const OPEN_TIMEOUT_MS = 5_000

interface View {
  socket: Socket
  viewer: TerminalViewer
  /** Arrived before the opener could subscribe; null: everything is passed on directly. */
  early: HostEvent[] | null
  /** Of the agent's terminal: before us, as we last requested it, now. */
  original: TerminalSize
  requested: TerminalSize | null
  now: TerminalSize
  isOver: boolean
}

export async function openTerminal(handle: ProcessHandle, viewer: TerminalViewer): Promise<LiveTerminal> {
  if (handle.socket === undefined) throw unavailable(handle, 'it was never ready')
  const socket = connect(handle.socket)
  const early: HostEvent[] = []
  const unknown = { cols: 0, rows: 0 }
  const view: View = { socket, viewer, early, original: unknown, requested: null, now: unknown, isOver: false }
  const size = await firstSize(view, handle)
  view.original = size
  view.now = size
  socket.on('close', () => end(view, 'the connection to its host was closed'))
  if (viewer.size) requestSize(view, viewer.size)
  setImmediate(() => passOnEarly(view))
  const keys = new StringDecoder('utf8')
  return {
    size,
    write: (bytes) => writeLine(socket, { op: 'input', data: keys.write(Buffer.from(bytes)) }),
    resize: (wanted) => requestSize(view, wanted),
    // The host notices that nobody is reading, drops further output, and redraws everything when reading resumes.
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => close(view),
  }
}

/** Resolves with the first thing that a host sends to a viewer; whatever follows is an event. */
function firstSize(view: View, handle: ProcessHandle): Promise<TerminalSize> {
  const { socket } = view
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer)
      socket.destroy()
      reject(unavailable(handle, why))
    }
    const timer = setTimeout(() => fail('its host does not answer'), OPEN_TIMEOUT_MS)
    let isFirst = true
    socket.on('connect', () => writeLine(socket, { op: 'view' }))
    socket.on('error', (error) => fail(error.message))
    socket.once('close', () => fail('its host closed the connection'))
    readLines<HostEvent | HostAnswer>(socket, (event) => {
      if (!('event' in event)) fail('it was started by an older ao that cannot show it')
      else if (!isFirst) take(view, event)
      else if (event.event !== 'size') fail('its host is not ready')
      else {
        isFirst = false
        clearTimeout(timer)
        resolve({ cols: event.cols, rows: event.rows })
      }
    })
  })
}

function passOnEarly(view: View): void {
  const early = view.early ?? []
  view.early = null
  for (const event of early) take(view, event)
}

function take(view: View, event: HostEvent): void {
  const { viewer, early } = view
  if (view.isOver) return
  if (early) {
    early.push(event)
  } else if (event.event === 'exit') {
    end(view, `the agent ended: ${event.signal ?? `exit code ${event.exitCode}`}`)
  } else if (event.event === 'size') {
    view.now = { cols: event.cols, rows: event.rows }
    viewer.onSize(view.now)
  } else {
    viewer.onData(Buffer.from(event.data))
  }
}

function requestSize(view: View, size: TerminalSize): void {
  view.requested = size
  writeLine(view.socket, { op: 'resize', ...size })
}

function end(view: View, why: string): void {
  if (view.isOver) return
  // Output before the end is part of it.
  passOnEarly(view)
  if (view.isOver) return
  view.isOver = true
  view.socket.destroy()
  view.viewer.onEnd(why)
}

async function close(view: View): Promise<void> {
  const { socket, requested, now, original } = view
  if (view.isOver) return
  view.isOver = true
  // A size set by somebody else after us is kept.
  const isOurs = requested !== null && requested.cols === now.cols && requested.rows === now.rows
  if (isOurs) writeLine(socket, { op: 'resize', ...original })
  socket.resume()
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.end(() => socket.destroy())
  })
}

function unavailable({ name }: ProcessHandle, why: string): AoError {
  return new AoError('SESSION_NOT_RUNNING', `The terminal of ${name} cannot be shown: ${why}`, { details: { name } })
}
