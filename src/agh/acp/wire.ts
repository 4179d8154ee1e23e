// What is known of the messages that go to and fro: whose answers are watched, and which of the agent's requests it has not
// taken the answers of.
import type { AcpUpdate } from '../../contract/agh/events.ts'

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

export interface Wire {
  handlers: WireHandlers
  /** Of the requests whose answers are watched. */
  promptId: unknown
  initializeId: unknown
  /** Requests of the agent whose answers it has not taken, with their sizes. */
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
