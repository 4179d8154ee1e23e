// JSON-RPC with the agent over its stdin and stdout. Updates are read from the wire before the SDK sees them: complete, in
// the order they were sent, and before anyone sees the response that follows them. While the agent does not read its
// responses, its output is not read either, so nothing piles up.
import type { AnyMessage, ClientApp, ClientContext } from '@agentclientprotocol/sdk'
import type { AgentProcess } from './agent-process.ts'
import { drain, outgoing } from './outgoing.ts'
import { readMessage } from './read-message.ts'
import { splitLines } from './split-lines.ts'
import { joinListeners } from './take-turns.ts'
import { createWire, takesAnswers, type Wire, type WireHandlers } from './wire.ts'

/** The SDK's own limit for one message. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
/** With more unhandled messages than this, reading the agent's output pauses. */
const MAX_WAITING = 1_000

export interface AgentConnection {
  agent: ClientContext
  /** Resolves with the reason once no message can be sent or received any more. */
  closed: Promise<string>
  /** Resolves when the agent has read everything written to it, or has stopped reading. */
  drained(): Promise<void>
  close(): void
}

export function connectAgent(app: ClientApp, process: AgentProcess, handlers: WireHandlers): AgentConnection {
  let reportClosed: (why: string) => void = () => undefined
  const closed = new Promise<string>((resolve) => {
    reportClosed = resolve
  })
  const wire = createWire(handlers)
  const connection = app.connect({
    readable: incoming(process, wire, reportClosed),
    writable: outgoing(process, wire),
  })
  void connection.closed.then(() => reportClosed('the connection was closed'))
  const drained = () => drain(process.child.stdin)
  return { agent: connection.agent, closed, drained, close: () => connection.close() }
}

function incoming(process: AgentProcess, wire: Wire, reportClosed: (why: string) => void): ReadableStream<AnyMessage> {
  const { stdout } = process.child
  const listener = joinListeners(stdout)
  // The SDK accepts no more messages: the connection was closed on our side.
  let cancelled = false
  let readOn: () => void = () => undefined
  return new ReadableStream<AnyMessage>(
    {
      start(controller) {
        let open = true
        let backlog: Promise<void> | null = null
        const mayRead = () =>
          cancelled || ((controller.desiredSize ?? 0) >= 0 && backlog === null && takesAnswers(wire))
        readOn = () => {
          if (mayRead()) listener.unblock()
        }
        wire.onAnswered = readOn
        const waitForRecorder = () => {
          backlog ??= wire.handlers.backlog()
          void backlog
            // A failure to write the event log ends the session elsewhere.
            ?.catch(() => undefined)
            .then(() => {
              backlog = null
              readOn()
            })
        }
        const end = (why: string) => {
          if (!open) return
          open = false
          listener.leave()
          stdout.removeAllListeners('data')
          // Further output is read and discarded, so that the agent does not block on a full pipe.
          stdout.resume()
          reportClosed(why)
          if (!cancelled) controller.close()
        }
        const feed = splitLines(MAX_LINE_BYTES, (line) => {
          const message = readMessage(line, wire)
          if (message && open && !cancelled) controller.enqueue(message)
        })
        stdout.on('data', (chunk: Buffer) =>
          listener.take(() => {
            if (!feed(chunk)) return end(`the agent sent a line of more than ${MAX_LINE_BYTES} bytes`)
            waitForRecorder()
            if (!mayRead()) listener.block()
          }),
        )
        stdout.once('end', () => end('the agent closed its output'))
        stdout.once('error', (error) => end(`the output of the agent cannot be read: ${error.message}`))
      },
      pull: () => readOn(),
      cancel() {
        cancelled = true
        readOn()
      },
    },
    { highWaterMark: MAX_WAITING },
  )
}
