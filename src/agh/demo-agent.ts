// The agent behind `general` until a real one is configured: it says what it is and echoes the prompt. It remembers nothing, so a
// copy of a conversation is complete with its id.
import { randomUUID } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { agent, type ContentBlock, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'

const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>
const input = Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>

const sessionCapabilities = { resume: {}, close: {}, fork: {} }

function describe(block: ContentBlock): string {
  if (block.type === 'image') return `[a picture, ${block.mimeType}, ${Buffer.from(block.data, 'base64').length} bytes]`
  if (block.type === 'resource_link') return `[a link to ${block.uri}]`
  return block.type === 'resource' && 'text' in block.resource ? `[a file: ${block.resource.text}]` : `[${block.type}]`
}

agent({ name: 'agh-demo' })
  .onRequest('initialize', () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { sessionCapabilities, promptCapabilities: { image: true, embeddedContext: true } },
    agentInfo: { name: 'agh-demo', version: '1' },
  }))
  .onRequest('session/new', () => ({ sessionId: `demo-${randomUUID()}` }))
  .onRequest('session/resume', () => ({}))
  .onRequest(
    'session/fork',
    (params) => params,
    () => ({ sessionId: `demo-${randomUUID()}` }),
  )
  .onRequest('session/close', () => ({}))
  .onRequest('session/prompt', async ({ params, client }) => {
    const prompt = params.prompt.map((block) => (block.type === 'text' ? block.text : describe(block))).join('\n')
    const text = `This is agh's demo agent. It has no model behind it and repeats what it hears: ${prompt}`
    for (const word of text.split(/(?<=\s)/)) {
      await client.notify('session/update', {
        sessionId: params.sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: word } },
      })
    }
    return { stopReason: 'end_turn' as const }
  })
  .connect(ndJsonStream(output, input))
