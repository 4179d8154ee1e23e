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
  /** The whole response to a prompt, in its place among the updates; the SDK drops what its schema does not define. */
  onPromptAnswer(answer: PromptAnswer): void
  /** The whole response to `initialize`, for the same reason. */
  onInitialized(result: Record<string, unknown>): void
  /** A line that is not a message. */
  onGarbage(line: string): void
  /** Resolves when more can be recorded; null: right away. */
  backlog(): Promise<void> | null
}

export interface PromptAnswer {
  result?: Record<string, unknown>
  error?: { code?: number; message?: string; data?: unknown }
}

export interface Wire {
  handlers: WireHandlers
  /** Of the requests whose responses are watched. */
  promptId: unknown
  initializeId: unknown
  /** The agent's requests whose responses it has not read yet, with their sizes. */
  unanswered: Map<unknown, number>
  unansweredBytes: number
  onAnswered(): void
}

export function createWire(handlers: WireHandlers): Wire {
  return {
    handlers,
    promptId: undefined,
    initializeId: undefined,
    unanswered: new Map(),
    unansweredBytes: 0,
    onAnswered: () => undefined,
  }
}

export function takesAnswers({ unanswered, unansweredBytes }: Wire): boolean {
  return unanswered.size <= MAX_UNANSWERED && unansweredBytes <= MAX_UNANSWERED_BYTES
}

export function noteRequest(id: unknown, bytes: number, wire: Wire): void {
  noteAnswer(id, wire)
  wire.unanswered.set(id, bytes)
  wire.unansweredBytes += bytes
}

export function noteAnswer(id: unknown, wire: Wire): void {
  const bytes = wire.unanswered.get(id)
  if (bytes === undefined) return
  wire.unanswered.delete(id)
  wire.unansweredBytes -= bytes
  wire.onAnswered()
}
