// One line of the agent's output: an update, a message for the SDK, or not part of the protocol.
import type { AnyMessage } from '@agentclientprotocol/sdk'
import type { AcpUpdate } from '../../contract/agh/events.ts'
import { readPlainUpdate } from './read-plain-update.ts'
import { noteRequest, ownId, type PromptAnswer, type Wire } from './wire.ts'

/** null: already handled, or not a message. */
export function readMessage(line: string, wire: Wire): AnyMessage | null {
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
    // Agents print banners and warnings to stdout; the protocol continues after them.
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
      wire.handlers.onUpdate({ update: params.update as AcpUpdate, acpSessionId: sessionNamed(params.sessionId) })
    } else wire.handlers.onGarbage(line)
    return null
  }
  if (value.id !== undefined && value.method === undefined) return readAnswer(value, wire)
  if (value.id !== undefined) {
    wire.handlers.log.recordRequest({ add: { offset: wire.offset, line } })
    noteRequest(value.id, { offset: wire.offset, bytes: line.length }, wire)
  }
  return value as AnyMessage
}

/** undefined: none. A value that cannot be an id names no session, least of all this one. */
function sessionNamed(sessionId: unknown): string | undefined {
  return typeof sessionId === 'string' || sessionId === undefined ? sessionId : JSON.stringify(sessionId)
}

function readAnswer(answer: PromptAnswer & { id?: unknown }, wire: Wire): AnyMessage | null {
  if (answer.id === wire.promptId) {
    wire.promptId = null
    wire.handlers.onPromptAnswer(answer)
  } else if (answer.id === wire.initializeId) {
    wire.initializeId = undefined
    if (answer.result) wire.handlers.onInitialized(answer.result)
  }
  const id = ownId(answer.id, wire)
  return id === null ? null : ({ ...answer, id } as AnyMessage)
}

/** A request that an earlier daemon has read and not answered. */
export function readAgain({ offset, line }: { offset: number; line: string }, wire: Wire): AnyMessage {
  const value = JSON.parse(line) as AnyMessage & { id: unknown }
  noteRequest(value.id, { offset, bytes: line.length }, wire)
  return value
}
