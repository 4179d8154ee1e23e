// Streams a screen to one person. A slow or absent viewer never delays the agent: output is dropped for them, and when they
// are ready again they get the whole screen.
import type { Duplex } from 'node:stream'
import type { AgentTerminal } from './agent-terminal.ts'
import { writeLine } from './host/host-protocol.ts'

const MAX_BEHIND_BYTES = 1024 * 1024
const CLEAR = '\u001b[0m\u001b[H\u001b[2J\u001b[3J'

/** `answers`: a person's own terminal, which answers the agent's queries and decides its size. */
export function watchScreen(socket: Duplex, agent: AgentTerminal, { answers }: { answers: boolean }): void {
  const { screen } = agent
  let behind = true
  const stopSizes = answers ? () => undefined : sendSizes(socket, agent, () => void showAll())
  const showAll = async () => {
    // Nothing is drawn between the flush and the picture, so no output is shown twice or left out.
    await screen.flush()
    behind = false
    writeLine(socket, { event: 'screen', data: CLEAR + screen.picture() })
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
    if (behind) void showAll()
  })
  socket.on('close', () => {
    stopWatching()
    stopSizes()
  })
  void showAll()
  void agent.ended.then((end) => {
    writeLine(socket, { event: 'exit', ...end })
    socket.end()
  })
}

function sendSizes(socket: Duplex, agent: AgentTerminal, showAll: () => void): () => void {
  writeLine(socket, { event: 'size', ...agent.size() })
  return agent.onResize((size) => {
    writeLine(socket, { event: 'size', ...size })
    showAll()
  })
}
