// The prompts that wait behind the running turn, as data. A prompt leaves the queue once: into a turn, by being withdrawn, or
// with its session. Which of these is decided by decide.ts alone.
import type { TurnSource } from '../../../contract/agh/session-terms.ts'
import { AoError } from '../../../contract/errors.ts'

export interface QueuedPrompt {
  /** The turn that it will be, or the driver's id of the message. */
  id: string
  text: string
  source: TurnSource
  /** ISO 8601 */
  queuedAt: string
  /** Its name on disk while it waits; null: it is kept elsewhere, as the run of a task is. */
  keptAs: string | null
  /** It is a message of the session's driver. */
  messageId: string | null
}

export function findQueued(queue: readonly QueuedPrompt[], id: string): QueuedPrompt | null {
  return queue.find((one) => one.id === id) ?? null
}

export function withoutQueued(queue: readonly QueuedPrompt[], id: string): readonly QueuedPrompt[] {
  const left = queue.filter((one) => one.id !== id)
  return left.length === queue.length ? queue : left
}

export function withText(queue: readonly QueuedPrompt[], id: string, text: string): readonly QueuedPrompt[] {
  return queue.map((one) => (one.id === id ? { ...one, text } : one))
}

/** What a person may change: neither the run of a task, nor a prompt whose turn has begun. */
export function requireChangeable(
  sessionId: string,
  queue: readonly QueuedPrompt[],
  id: string,
): { prompt: QueuedPrompt & { keptAs: string } } | { refusal: AoError } {
  const prompt = findQueued(queue, id)
  if (!prompt) {
    const message = `No prompt ${id} waits for session ${sessionId}: its turn has begun, or it was withdrawn`
    const hint = `List those that wait with: agh session queue ${sessionId}`
    return { refusal: new AoError('MESSAGE_NOT_WAITING', message, { hint, details: { sessionId, id } }) }
  }
  const { keptAs } = prompt
  if (keptAs !== null) return { prompt: { ...prompt, keptAs } }
  const message = `The prompt ${id} belongs to a task of agh; it is not changed here`
  return { refusal: new AoError('STATE_REFUSED', message, { details: { sessionId, id } }) }
}
