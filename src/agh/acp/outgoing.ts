// Messages to the agent. What must be written once has a key, and leaves only when what led to it is recorded.
import type { AnyMessage } from '@agentclientprotocol/sdk'
import type { AgentProcess } from './agent-process.ts'
import { answerKey, noteAnswer, type Wire } from './wire.ts'

export function promptKey(turnId: string): string {
  return `prompt:${turnId}`
}

export function outgoing(process: AgentProcess, wire: Wire): WritableStream<AnyMessage> {
  let failure: Error | null = null
  return new WritableStream<AnyMessage>({
    async write(message) {
      if (failure) throw failure
      const { line, key } = prepare(message, wire)
      if (key !== undefined) {
        wire.handlers.log.moveBookmark()
        await wire.handlers.log.settle()
      }
      void process
        .write(Buffer.from(line), key)
        .catch((error: Error) => {
          failure = error
        })
        .then(() => {
          if (!('method' in message)) noteAnswer(message.id, wire)
        })
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
