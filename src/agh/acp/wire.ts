// Bookkeeping for messages in both directions: requests whose responses are watched, and requests of the agent whose
// responses it has not read yet.
import type { AcpUpdate } from '../../contract/agh/events.ts'

/** The same limit for requests whose responses the agent has not read. Questions for a person wait here too. */
const MAX_UNANSWERED = 10_000
const MAX_UNANSWERED_BYTES = 64 * 1024 * 1024

export interface WireUpdate {
  update: AcpUpdate
  /** Verbatim, when it could be cut out of its line. */
  json?: string
  /** The agent's own session id that it belongs to. */
  acpSessionId: string | undefined
}

export interface WireHandlers {
  onUpdate(update: WireUpdate): void
  /** The whole response to a prompt, in its order among the updates; the SDK drops what its schema does not define. */
  onPromptAnswer(answer: PromptAnswer): void
  /** The whole response to `initialize`, for the same reason. */
  onInitialized(result: Record<string, unknown>): void
  /** A line that is not a message. */
  onGarbage(line: string): void
  log: WireLog
}

/** The event log, as far as the wire writes to it. */
export interface WireLog {
  /** What is written between these two is committed as a whole. */
  hold(): void
  release(): void
  /** The offset in the agent's output is committed with the next events. */
  moveBookmark(): void
  /** Resolves when everything up to here is committed, or cannot be; an answer that depends on it may leave then. */
  settle(): Promise<void>
  /** Resolves when more can be written; null: right away. */
  backlog(): Promise<void> | null
  /** A request of the agent at this offset, or that the agent has the response to it. */
  recordRequest(change: { add: { offset: number; line: string } } | { remove: number }): void
}

export interface PromptAnswer {
  result?: Record<string, unknown>
  error?: { code?: number; message?: string; data?: unknown }
}

/** Where an earlier daemon was; for a new agent all of it is 0, null and empty. */
export interface WireStart {
  /** How many bytes of the agent's output have been taken. */
  offset: number
  /** The id of the request that the running turn waits for. */
  promptId: number | null
  /** Requests of the agent that nobody has answered, with their offsets. */
  open: ReadonlyArray<{ offset: number; line: string }>
}

export const WIRE_START: WireStart = { offset: 0, promptId: null, open: [] }

export interface Wire {
  handlers: WireHandlers
  /** After the line that is being handled, or was last. */
  offset: number
  /** Of the requests whose responses are watched. */
  promptId: number | null
  initializeId: unknown
  /** The turn whose prompt was sent last. */
  promptTurn: string | null
  /** Added to the ids of our requests: those of an earlier daemon may still be answered. */
  firstId: number
  /** The agent's requests whose responses it has not read yet. */
  unanswered: Map<unknown, { offset: number; bytes: number }>
  unansweredBytes: number
  /** Keys that the host may forget, once what was recorded so far is committed. */
  settled: string[]
  onAnswered(): void
}

/** Named by the offset of the request, because agents may use an id again. */
export function answerKey(offset: number): string {
  return `answer:${offset}`
}

/** More than any daemon sends. */
const IDS_A_DAEMON = 1_000_000

/** `epoch`: the how manieth reader of this agent we are. */
export function createWire(handlers: WireHandlers, start: WireStart, epoch: number): Wire {
  return {
    handlers,
    offset: start.offset,
    promptId: start.promptId,
    initializeId: undefined,
    promptTurn: null,
    firstId: (epoch - 1) * IDS_A_DAEMON,
    unanswered: new Map(),
    unansweredBytes: 0,
    settled: [],
    onAnswered: () => undefined,
  }
}

export function takesAnswers({ unanswered, unansweredBytes }: Wire): boolean {
  return unanswered.size <= MAX_UNANSWERED && unansweredBytes <= MAX_UNANSWERED_BYTES
}

export function noteRequest(id: unknown, request: { offset: number; bytes: number }, wire: Wire): void {
  noteAnswer(id, wire)
  wire.unanswered.set(id, request)
  wire.unansweredBytes += request.bytes
}

export function noteAnswer(id: unknown, wire: Wire): void {
  const request = wire.unanswered.get(id)
  if (request === undefined) return
  wire.unanswered.delete(id)
  wire.unansweredBytes -= request.bytes
  wire.handlers.log.recordRequest({ remove: request.offset })
  wire.settled.push(answerKey(request.offset))
  wire.onAnswered()
}

/** null: it is the response to a request of an earlier daemon, which nobody waits for. */
export function ownId(id: unknown, { firstId }: Wire): unknown {
  if (typeof id !== 'number') return id
  return id >= firstId && id < firstId + IDS_A_DAEMON ? id - firstId : null
}
