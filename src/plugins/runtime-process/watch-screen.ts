// Streams a screen to one person. A slow or absent viewer never delays the agent: output is dropped for them, and when they
// are ready again they get the whole screen.
import type { Duplex } from 'node:stream'
import type { AgentTerminal } from './agent-terminal.ts'
import { writeLine } from './host/host-protocol.ts'
import type { Screen } from './screen.ts'

const MAX_BEHIND_BYTES = 1024 * 1024
/** All that the screen keeps. A terminal of one's own has its own scrollback. */
const ALL_HISTORY = 100_000
/** For a viewer that fell behind: it is shown again and again then. */
const SOME_HISTORY = 1_000
const CLEAR = '\u001b[0m\u001b[H\u001b[2J\u001b[3J'

/** `answers`: a person's own terminal, which answers the agent's queries and decides its size. */
export function watchScreen(socket: Duplex, agent: AgentTerminal, { answers }: { answers: boolean }): void {
  const { screen } = agent
  let behind = true
  const stopSizes = answers ? () => undefined : sendSizes(socket, agent, () => void showAll(ALL_HISTORY))
  const showAll = async (history: number) => {
    // Nothing is drawn between the flush and the picture, so no output is shown twice or left out.
    await screen.flush()
    behind = false
    writeLine(socket, { event: 'screen', data: CLEAR + pictureOf(screen, answers ? 0 : history) })
  }
  const stopWatching = screen.onDrawn(
    (data) => {
      if (behind) return
      if (socket.writableLength > MAX_BEHIND_BYTES) {
        behind = true
        return
      }
      writeLine(socket, { event: 'output', data })
    },
    { answers },
  )
  socket.on('drain', () => {
    if (behind) void showAll(SOME_HISTORY)
  })
  socket.on('close', () => {
    stopWatching()
    stopSizes()
  })
  void showAll(ALL_HISTORY)
  void agent.ended.then((end) => {
    writeLine(socket, { event: 'exit', ...end })
    socket.end()
  })
}

/** One message has a limit: the more colours, the fewer lines. */
const MAX_PICTURE_CHARACTERS = 1024 * 1024

function pictureOf(screen: Screen, history: number): string {
  const picture = screen.picture(history)
  if (picture.length <= MAX_PICTURE_CHARACTERS || history === 0) return picture
  return pictureOf(screen, history > SOME_HISTORY ? SOME_HISTORY : 0)
}

function sendSizes(socket: Duplex, agent: AgentTerminal, showAll: () => void): () => void {
  writeLine(socket, { event: 'size', ...agent.size() })
  return agent.onResize((size) => {
    writeLine(socket, { event: 'size', ...size })
    showAll()
  })
}
