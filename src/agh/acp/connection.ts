// JSON-RPC with the agent over its stdin and stdout. Updates are taken from the wire itself, before the SDK: in the order
// in which they were sent, complete, and before the answer that follows them is seen by anyone.
import type { AnyMessage, ClientApp, ClientContext } from '@agentclientprotocol/sdk'
import type { AcpUpdate } from '../../core/agh/transcript/read-update.ts'
import type { AgentProcess } from './agent-process.ts'
import { readPlainUpdate } from './read-plain-update.ts'
import { splitLines } from './split-lines.ts'
import { joinListeners } from './take-turns.ts'

/** The SDK's own limit for one message. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
/** More unanswered requests than this, and the agent's output is not read on. */
const MAX_WAITING = 1_000

export interface WireHandlers {
  /** `json`: the update as the agent wrote it, when it could be cut out of its line. */
  onUpdate(update: AcpUpdate, json?: string): void
  /** The whole answer to a prompt, in its place between the updates; the SDK drops what its schema does not know. */
  onPromptAnswer(answer: PromptAnswer): void
  /** The whole answer to `initialize`, for the same reason. */
  onInitialized(result: Record<string, unknown>): void
  /** A line that is no message. */
  onGarbage(line: string): void
}

export interface PromptAnswer {
  result?: Record<string, unknown>
  error?: { code?: number; message?: string; data?: unknown }
}

export interface AgentConnection {
  agent: ClientContext
  /** Resolves with the reason when no message can come or go any more. */
  closed: Promise<string>
  close(): void
}

export function connectAgent(app: ClientApp, process: AgentProcess, handlers: WireHandlers): AgentConnection {
  let tell: (why: string) => void = () => undefined
  const closed = new Promise<string>((resolve) => {
    tell = resolve
  })
  const wire: Wire = { handlers, promptId: undefined, initializeId: undefined }
  const connection = app.connect({
    readable: incoming(process, wire, tell),
    writable: outgoing(process, wire),
  })
  void connection.closed.then(() => tell('the connection was closed'))
  return { agent: connection.agent, closed, close: () => connection.close() }
}

interface Wire {
  handlers: WireHandlers
  /** Of the requests whose answers are watched. */
  promptId: unknown
  initializeId: unknown
}

function incoming(process: AgentProcess, wire: Wire, tell: (why: string) => void): ReadableStream<AnyMessage> {
  const { stdout } = process.child
  const listener = joinListeners(stdout)
  // The SDK takes no more messages: the connection was closed on our side.
  let cancelled = false
  return new ReadableStream<AnyMessage>(
    {
      start(controller) {
        let open = true
        const end = (why: string) => {
          if (!open) return
          open = false
          listener.leave()
          stdout.removeAllListeners('data')
          // What still comes is read and thrown away, so that the agent does not hang on a full pipe.
          stdout.resume()
          tell(why)
          if (!cancelled) controller.close()
        }
        const feed = splitLines(MAX_LINE_BYTES, (line) => {
          const message = readMessage(line, wire)
          if (message && open && !cancelled) controller.enqueue(message)
        })
        stdout.on('data', (chunk: Buffer) =>
          listener.take(() => {
            if (!feed(chunk)) return end(`the agent sent a line of more than ${MAX_LINE_BYTES} bytes`)
            if ((controller.desiredSize ?? 0) < 0) listener.block()
          }),
        )
        stdout.once('end', () => end('the agent closed its output'))
        stdout.once('error', (error) => end(`the output of the agent cannot be read: ${error.message}`))
      },
      pull() {
        listener.unblock()
      },
      cancel() {
        cancelled = true
        listener.unblock()
      },
    },
    { highWaterMark: MAX_WAITING },
  )
}

/** null: it is handled, or it is no message. */
function readMessage(line: string, wire: Wire): AnyMessage | null {
  const plain = readPlainUpdate(line)
  if (plain) {
    wire.handlers.onUpdate(plain.update, plain.json)
    return null
  }
  if (line.trim() === '') return null
  let value: Record<string, unknown>
  try {
    value = JSON.parse(line) as Record<string, unknown>
  } catch {
    // Agents print banners and warnings to stdout; the protocol goes on behind them.
    wire.handlers.onGarbage(line)
    return null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    wire.handlers.onGarbage(line)
    return null
  }
  if (value.method === 'session/update') {
    const params = value.params as { update?: unknown } | undefined
    if (typeof params?.update === 'object' && params.update !== null) {
      wire.handlers.onUpdate(params.update as AcpUpdate)
    } else wire.handlers.onGarbage(line)
    return null
  }
  if (value.id !== undefined && value.method === undefined) watchAnswer(value, wire)
  return value as AnyMessage
}

function watchAnswer(answer: PromptAnswer & { id?: unknown }, wire: Wire): void {
  if (answer.id === wire.promptId) {
    wire.promptId = undefined
    wire.handlers.onPromptAnswer(answer)
  } else if (answer.id === wire.initializeId) {
    wire.initializeId = undefined
    if (answer.result) wire.handlers.onInitialized(answer.result)
  }
}

function outgoing(process: AgentProcess, wire: Wire): WritableStream<AnyMessage> {
  return new WritableStream<AnyMessage>({
    write(message) {
      if ('method' in message && 'id' in message) {
        if (message.method === 'session/prompt') wire.promptId = message.id
        else if (message.method === 'initialize') wire.initializeId = message.id
      }
      const { stdin } = process.child
      if (!stdin.writable) throw new Error('the agent takes no more messages')
      stdin.write(`${JSON.stringify(message)}\n`)
    },
  })
}
