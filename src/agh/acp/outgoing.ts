// Messages to the agent. Each write waits until the agent has read it, so nothing piles up for an agent that does not read.
import type { Writable } from 'node:stream'
import type { AnyMessage } from '@agentclientprotocol/sdk'
import type { AgentProcess } from './agent-process.ts'
import { noteAnswer, type Wire } from './wire.ts'

export function outgoing(process: AgentProcess, wire: Wire): WritableStream<AnyMessage> {
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

export function drain(stdin: Writable): Promise<void> {
  if (!stdin.writableNeedDrain || stdin.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) stdin.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close', 'error']) stdin.on(event, done)
  })
}
