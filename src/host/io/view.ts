// Streams a screen to one person. A slow or absent viewer never delays the agent: output is dropped for them, and when they
// are ready again they get the whole screen.
import type { Duplex } from 'node:stream'
import type { HostFrame } from '../protocol.ts'
import type { AgentTerminal } from './pty.ts'
import type { Screen } from './screen.ts'

const MAX_BEHIND_BYTES = 1024 * 1024
/** All that the screen keeps. A terminal of one's own has its own scrollback. */
const ALL_HISTORY = 100_000
/** For a viewer that fell behind: it is shown again and again then. */
const SOME_HISTORY = 1_000
const CLEAR = '\u001b[0m\u001b[H\u001b[2J\u001b[3J'

export interface Viewing {
  /** A person's own terminal, which answers the agent's queries and keeps its own history. */
  answers: boolean
  send(frame: HostFrame, payload?: Buffer): void
}

/** Until the stream closes. */
export function watchScreen(stream: Duplex, agent: AgentTerminal, { answers, send }: Viewing): void {
  const { screen } = agent
  let behind = true
  const sendSize = () => send({ op: 'size', ...agent.size() })
  const showAll = async (history: number) => {
    // Nothing is drawn between the flush and the picture, so no output is shown twice or left out.
    await screen.flush()
    behind = false
    const picture = CLEAR + pictureOf(screen, answers ? 0 : history)
    send({ op: 'picture', at: screen.drawnBytes() }, Buffer.from(picture))
  }
  const stopWatching = screen.onDrawn(
    (data, at) => {
      if (behind) return
      behind = stream.writableLength > MAX_BEHIND_BYTES
      if (!behind) send({ op: 'out', at }, Buffer.from(data))
    },
    { answers },
  )
  const stopSizes = agent.onResize(() => {
    sendSize()
    if (!answers) void showAll(ALL_HISTORY)
  })
  stream.on('drain', () => {
    if (behind) void showAll(SOME_HISTORY)
  })
  stream.on('close', () => {
    stopWatching()
    stopSizes()
  })
  sendSize()
  void showAll(ALL_HISTORY)
}

/** One message has a limit: the more colours, the fewer lines. */
const MAX_PICTURE_CHARACTERS = 1024 * 1024

function pictureOf(screen: Screen, history: number): string {
  const picture = screen.picture(history)
  if (picture.length <= MAX_PICTURE_CHARACTERS || history === 0) return picture
  return pictureOf(screen, history > SOME_HISTORY ? SOME_HISTORY : 0)
}
