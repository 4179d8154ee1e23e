// An agent's terminal for a viewer that is not a local terminal, e.g. a web page: the host draws, we pass it on.
import { StringDecoder } from 'node:string_decoder'
import { AoError, errorText } from '../../contract/errors.ts'
import type { TerminalSize } from '../../contract/terminal-frames.ts'
import { type HostClient, openClient } from '../../host/client.ts'
import type { LiveTerminal, TerminalViewer } from '../../slots/runtime.ts'
import type { ProcessHandle } from './process-handle.ts'

const OPEN_TIMEOUT_MS = 5_000

interface View {
  viewer: TerminalViewer
  /** Arrived before the opener could subscribe; null: everything is passed on directly. */
  early: Array<() => void> | null
  /** As we last requested it, and as it is. */
  requested: TerminalSize | null
  now: TerminalSize | null
  isOver: boolean
}

export async function openTerminal(handle: ProcessHandle, viewer: TerminalViewer): Promise<LiveTerminal> {
  if (handle.socket === undefined) throw unavailable(handle, 'it was never ready')
  const view: View = { viewer, early: [], requested: null, now: null, isOver: false }
  const sized = Promise.withResolvers<TerminalSize>()
  const client = await openClient(
    handle.socket,
    {
      onData: (data) => pass(view, () => viewer.onData(data)),
      onSize(size) {
        const isFirst = view.now === null
        view.now = size
        if (isFirst) sized.resolve(size)
        else pass(view, () => viewer.onSize(size))
      },
      onExit: ({ code, signal }) => pass(view, () => end(view, `the agent ended: ${signal ?? `exit code ${code}`}`)),
      onLost(why) {
        sized.reject(new Error(why))
        end(view, 'the connection to its host was closed')
      },
    },
    OPEN_TIMEOUT_MS,
  ).catch((error) => {
    throw unavailable(handle, errorText(error))
  })
  client.view(false)
  const original = await firstSize(client, sized.promise).catch((error) => {
    throw unavailable(handle, errorText(error))
  })
  const resize = (size: TerminalSize) => {
    view.requested = size
    client.resize(size)
  }
  if (viewer.size) resize(viewer.size)
  setImmediate(() => passEarly(view))
  const keys = new StringDecoder('utf8')
  return {
    size: original,
    write: (bytes) => client.type(keys.write(Buffer.from(bytes))),
    resize,
    pause: client.pause,
    resume: client.resume,
    async close() {
      if (view.isOver) return
      view.isOver = true
      const { requested, now } = view
      // A size set by somebody else after us is kept.
      if (requested !== null && requested.cols === now?.cols && requested.rows === now.rows) client.resize(original)
      await client.close()
    },
  }
}

function firstSize(client: HostClient, sized: Promise<TerminalSize>): Promise<TerminalSize> {
  const timer = setTimeout(() => client.drop('its host does not answer'), OPEN_TIMEOUT_MS)
  return sized.finally(() => clearTimeout(timer))
}

function pass(view: View, act: () => void): void {
  if (view.isOver) return
  if (view.early) view.early.push(act)
  else act()
}

function passEarly(view: View): void {
  const early = view.early ?? []
  view.early = null
  for (const act of early) if (!view.isOver) act()
}

function end(view: View, why: string): void {
  // Output before the end is part of it.
  passEarly(view)
  if (view.isOver) return
  view.isOver = true
  view.viewer.onEnd(why)
}

function unavailable({ name }: ProcessHandle, why: string): AoError {
  return new AoError('SESSION_NOT_RUNNING', `The terminal of ${name} cannot be shown: ${why}`, { details: { name } })
}
