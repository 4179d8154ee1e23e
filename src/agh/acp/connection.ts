// JSON-RPC with the agent over its stdin and stdout. Updates are read from the wire before the SDK sees them: complete, in
// the order they were sent, and before anyone sees the response that follows them. While the agent does not read what was
// written to it, its output is not read and nothing more is written, so nothing piles up.
import type { AnyMessage, ClientApp, ClientContext, PromptRequest } from '@agentclientprotocol/sdk'
import { splitLines } from '../../host/split-lines.ts'
import type { AgentProcess } from './agent-process.ts'
import { readAgain, readMessage } from './read-message.ts'
import { joinListeners } from './take-turns.ts'
import {
  answerKey,
  createWire,
  noteAnswer,
  takesAnswers,
  type Wire,
  type WireHandlers,
  type WireStart,
} from './wire.ts'

/** The SDK's own limit for one message. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
/** With more unhandled messages than this, reading the agent's output pauses. */
const MAX_WAITING = 1_000

export interface AgentConnection {
  agent: ClientContext
  /** Resolves with the reason once no message can be sent or received. */
  closed: Promise<string>
  /** Resolves when the agent has read most of what was written to it, or has stopped reading. */
  drained(): Promise<void>
  /** How many bytes of its output have been taken, whole lines only, and the id of the request that the running turn waits for. */
  position: Readonly<Pick<Wire, 'offset' | 'promptId'>>
  /** Sends the prompt of a turn: once, whichever daemon sends it. */
  prompt(turnId: string, request: PromptRequest): Promise<unknown>
  /** The offset of the agent's request with this id, while it is unanswered. */
  offsetOf(requestId: unknown): number | null
  /** Keys that its host may forget with the next commit; whoever commits takes them out. */
  settled: string[]
  close(): void
}

export function promptKey(turnId: string): string {
  return `prompt:${turnId}`
}

/** `start`: where an earlier daemon was. */
export function connectAgent(
  app: ClientApp,
  process: AgentProcess,
  handlers: WireHandlers,
  start: WireStart,
): AgentConnection {
  const closed = Promise.withResolvers<string>()
  const wire = createWire(handlers, start, process.host.epoch)
  const connection = app.connect({
    readable: incoming(process, wire, start, closed.resolve),
    writable: outgoing(process, wire),
  })
  void connection.closed.then(() => closed.resolve('the connection was closed'))
  return {
    agent: connection.agent,
    closed: closed.promise,
    drained: process.drained,
    position: wire,
    prompt(turnId, request) {
      wire.promptTurn = turnId
      return connection.agent.request('session/prompt', request)
    },
    offsetOf: (requestId) => wire.unanswered.get(requestId)?.offset ?? null,
    settled: wire.settled,
    close: () => connection.close(),
  }
}

function incoming(
  process: AgentProcess,
  wire: Wire,
  start: WireStart,
  reportClosed: (why: string) => void,
): ReadableStream<AnyMessage> {
  const listener = joinListeners(process)
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
          backlog ??= wire.handlers.log.backlog()
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
          // Further output is taken and discarded, so that the agent does not block on a full pipe.
          process.resume()
          reportClosed(why)
          if (!cancelled) controller.close()
        }
        const feed = splitLines(MAX_LINE_BYTES, (line, offset) => {
          const message = takeLine(line, offset, wire)
          if (message && open && !cancelled) controller.enqueue(message)
        })
        process.listen({
          onOutput: (chunk, at) => {
            if (!open) return
            listener.take(() => {
              if (!feed(chunk, at)) return end(`the agent sent a line of more than ${MAX_LINE_BYTES} bytes`)
              waitForRecorder()
              if (!mayRead()) listener.block()
            })
          },
          onEnd: end,
        })
        for (const request of start.open) controller.enqueue(readAgain(request, wire))
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

/** Everything that follows from the line at once is recorded together with the offset after it, or not at all. */
function takeLine(line: string, offset: number, wire: Wire): AnyMessage | null {
  const { log } = wire.handlers
  log.hold()
  try {
    wire.offset = offset
    return readMessage(line, wire)
  } finally {
    log.moveBookmark()
    log.release()
  }
}

/** What must be written once has a key, and leaves only when what led to it is recorded. */
function outgoing(process: AgentProcess, wire: Wire): WritableStream<AnyMessage> {
  let failure: Error | null = null
  return new WritableStream<AnyMessage>({
    async write(message) {
      if (failure) throw failure
      const { line, key } = prepare(message, wire)
      if (key !== undefined) {
        wire.handlers.log.moveBookmark()
        await wire.handlers.log.settle()
      }
      const onWritten = () => {
        if (!('method' in message)) noteAnswer(message.id, wire)
      }
      // Whether the agent has it is unknown then: whoever continues the session asks its host.
      const onFailure = (error: Error) => {
        failure = error
      }
      void process.write(Buffer.from(line), key).then(onWritten, onFailure)
      await process.drained()
    },
  })
}

function prepare(message: AnyMessage, wire: Wire): { line: string; key: string | undefined } {
  if (!('method' in message)) {
    const request = wire.unanswered.get(message.id)
    return { line: lineOf(message), key: request && answerKey(request.offset) }
  }
  if (!('id' in message) || typeof message.id !== 'number') return { line: lineOf(message), key: undefined }
  const id = message.id + wire.firstId
  const turnId = message.method === 'session/prompt' ? wire.promptTurn : null
  if (turnId !== null) wire.promptId = id
  else if (message.method === 'initialize') wire.initializeId = id
  return { line: lineOf({ ...message, id }), key: turnId === null ? undefined : promptKey(turnId) }
}

function lineOf(message: AnyMessage): string {
  return `${JSON.stringify(message)}\n`
}
