// JSON-RPC with the agent over its stdin and stdout. Updates are taken from the wire itself, before the SDK: in the order
// in which they were sent, complete, and before the answer that follows them is seen by anyone. An agent that does not
// take its answers is not read on: nothing piles up for it.
import type { Writable } from 'node:stream'
import type { AnyMessage, ClientApp, ClientContext } from '@agentclientprotocol/sdk'
import type { AcpUpdate } from '../../core/agh/transcript/read-update.ts'
import type { AgentProcess } from './agent-process.ts'
import { readPlainUpdate } from './read-plain-update.ts'
import { splitLines } from './split-lines.ts'
import { joinListeners } from './take-turns.ts'

/** The SDK's own limit for one message. */
const MAX_LINE_BYTES = 32 * 1024 * 1024
/** More messages than this that nobody has looked at, and the agent's output is not read on. */
const MAX_WAITING = 1_000
/** The same for requests whose answers the agent has not taken. Questions for a person wait here too. */
const MAX_UNANSWERED = 10_000
const MAX_UNANSWERED_BYTES = 64 * 1024 * 1024

export interface WireUpdate {
  update: AcpUpdate
  /** As the agent wrote it, when it could be cut out of its line. */
  json?: string
  /** Of the agent's own session that it belongs to. */
  acpSessionId: string | undefined
}

export interface WireHandlers {
  onUpdate(update: WireUpdate): void
  /** The whole answer to a prompt, in its place between the updates; the SDK drops what its schema does not know. */
  onPromptAnswer(answer: PromptAnswer): void
  /** The whole answer to `initialize`, for the same reason. */
  onInitialized(result: Record<string, unknown>): void
  /** A line that is no message. */
  onGarbage(line: string): void
  /** Resolves when more can be recorded; null: now. */
  backlog(): Promise<void> | null
}

export interface PromptAnswer {
  result?: Record<string, unknown>
  error?: { code?: number; message?: string; data?: unknown }
}

export interface AgentConnection {
  agent: ClientContext
  /** Resolves with the reason when no message can come or go any more. */
  closed: Promise<string>
  /** Resolves when the agent has taken everything that was written to it, or takes nothing any more. */
  drained(): Promise<void>
  close(): void
}

export function connectAgent(app: ClientApp, process: AgentProcess, handlers: WireHandlers): AgentConnection {
  let tell: (why: string) => void = () => undefined
  const closed = new Promise<string>((resolve) => {
    tell = resolve
  })
  const wire: Wire = {
    handlers,
    promptId: undefined,
    initializeId: undefined,
    unanswered: new Map(),
    unansweredBytes: 0,
    onAnswered: () => undefined,
  }
  const connection = app.connect({
    readable: incoming(process, wire, tell),
    writable: outgoing(process, wire),
  })
  void connection.closed.then(() => tell('the connection was closed'))
  const drained = () => drain(process.child.stdin)
  return { agent: connection.agent, closed, drained, close: () => connection.close() }
}

interface Wire {
  handlers: WireHandlers
  /** Of the requests whose answers are watched. */
  promptId: unknown
  initializeId: unknown
  /** Requests of the agent whose answers it has not taken, with their sizes. */
  unanswered: Map<unknown, number>
  unansweredBytes: number
  onAnswered(): void
}

function incoming(process: AgentProcess, wire: Wire, tell: (why: string) => void): ReadableStream<AnyMessage> {
  const { stdout } = process.child
  const listener = joinListeners(stdout)
  // The SDK takes no more messages: the connection was closed on our side.
  let cancelled = false
  let readOn: () => void = () => undefined
  return new ReadableStream<AnyMessage>(
    {
      start(controller) {
        let open = true
        let backlog: Promise<void> | null = null
        const mayRead = () =>
          cancelled ||
          ((controller.desiredSize ?? 0) >= 0 &&
            backlog === null &&
            wire.unanswered.size <= MAX_UNANSWERED &&
            wire.unansweredBytes <= MAX_UNANSWERED_BYTES)
        readOn = () => {
          if (mayRead()) listener.unblock()
        }
        wire.onAnswered = readOn
        const waitForRecorder = () => {
          backlog ??= wire.handlers.backlog()
          void backlog
            // A history that cannot be written ends the session elsewhere.
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

/** null: it is handled, or it is no message. */
function readMessage(line: string, wire: Wire): AnyMessage | null {
  const plain = readPlainUpdate(line)
  if (plain) {
    wire.handlers.onUpdate(plain)
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
    const params = value.params as { update?: unknown; sessionId?: unknown } | undefined
    if (typeof params?.update === 'object' && params.update !== null) {
      const acpSessionId = typeof params.sessionId === 'string' ? params.sessionId : undefined
      wire.handlers.onUpdate({ update: params.update as AcpUpdate, acpSessionId })
    } else wire.handlers.onGarbage(line)
    return null
  }
  if (value.id !== undefined && value.method === undefined) watchAnswer(value, wire)
  else if (value.id !== undefined) noteRequest(value.id, line.length, wire)
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
    async write(message) {
      if ('method' in message && 'id' in message) {
        if (message.method === 'session/prompt') wire.promptId = message.id
        else if (message.method === 'initialize') wire.initializeId = message.id
      }
      const { stdin } = process.child
      if (!stdin.writable) throw new Error('the agent takes no more messages')
      if (!stdin.write(`${JSON.stringify(message)}\n`)) await drain(stdin)
      if (!('method' in message)) noteAnswer(message.id, wire)
    },
  })
}

function noteRequest(id: unknown, bytes: number, wire: Wire): void {
  noteAnswer(id, wire)
  wire.unanswered.set(id, bytes)
  wire.unansweredBytes += bytes
}

function noteAnswer(id: unknown, wire: Wire): void {
  const bytes = wire.unanswered.get(id)
  if (bytes === undefined) return
  wire.unanswered.delete(id)
  wire.unansweredBytes -= bytes
  wire.onAnswered()
}

function drain(stdin: Writable): Promise<void> {
  if (!stdin.writableNeedDrain || stdin.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) stdin.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close', 'error']) stdin.on(event, done)
  })
}
