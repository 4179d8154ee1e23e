// A model that follows a script, on loopback only, in the words of four APIs: Anthropic's messages, OpenAI's responses and
// chat completions, Google's generateContent.
// The prompt holds the script: `TASK:WRITE <path>` calls the tool that writes, `TASK:READ <path>` the one that reads, `TASK:RECALL` repeats the password of an
// earlier prompt, `TASK:TALK` talks for a minute. Everything else gets a harmless answer, as agents also ask for titles.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  chatChunks,
  contentChunks,
  fromChatMessage,
  fromChatTool,
  fromContent,
  fromDeclarations,
  type Reply,
  type Said,
  type Tool,
} from './chat-apis.ts'

export interface ModelServer {
  url: string
  /** How many requests held a script. */
  asked(): number
  /** How many requests held these words. */
  heard(words: string): number
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: requests of foreign APIs
type Json = Record<string, any>

export const WRITTEN = 'written by the scripted model\n'

export async function startModelServer(): Promise<ModelServer> {
  let asked = 0
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void answer(request, response, bodies)
      .then((hadScript) => {
        if (hadScript) asked++
      })
      .catch((error) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    heard: (words) => bodies.filter((body) => body.includes(words)).length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, bodies: string[]): Promise<boolean> {
  const path = (request.url ?? '').split('?')[0]
  const body = await readJson(request)
  bodies.push(JSON.stringify(body))
  if (path === '/v1/messages') {
    const said = body.messages.flatMap(fromMessage) as Said[]
    const reply = decide(said, (body.tools ?? []).map(fromMessagesTool))
    sendEvents(response, messageEvents(reply), 'endless' in reply)
    return hasScript(said)
  }
  if (path === '/v1/responses') {
    const said = body.input.flatMap(fromItem) as Said[]
    const reply = decide(said, (body.tools ?? []).map(fromResponsesTool))
    sendEvents(response, responseEvents(reply), 'endless' in reply)
    return hasScript(said)
  }
  if (path === '/v1/chat/completions') {
    const said = body.messages.flatMap(fromChatMessage) as Said[]
    sendChunks(response, chatChunks(decide(said, (body.tools ?? []).map(fromChatTool))), '[DONE]')
    return hasScript(said)
  }
  if (path?.endsWith(':streamGenerateContent')) {
    const said = body.contents.flatMap(fromContent) as Said[]
    sendChunks(response, contentChunks(decide(said, (body.tools ?? []).flatMap(fromDeclarations))))
    return hasScript(said)
  }
  if (path?.endsWith(':generateContent')) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(contentChunks({ text: '{}' })[0]))
    return false
  }
  const known = path === '/v1/messages/count_tokens' ? { input_tokens: 10 } : null
  response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
  response.end(JSON.stringify(known ?? { error: { message: `no ${path}` } }))
  return false
}

const SCRIPT = /TASK:(WRITE|READ|RECALL|TALK)(?: (\S+))?/
const PASSWORD = /the password is (\S+)/

function hasScript(said: readonly Said[]): boolean {
  return said.some(({ by, text }) => by === 'user' && SCRIPT.test(text))
}

function decide(said: readonly Said[], tools: readonly Tool[]): Reply {
  const at = said.findLastIndex(({ by, text }) => by === 'user' && SCRIPT.test(text))
  if (at === -1 || tools.length === 0) return { text: 'ok' }
  const [, verb, argument = ''] = SCRIPT.exec(said[at]!.text)!
  if (verb === 'RECALL') {
    const heard = said.flatMap(({ text }) => PASSWORD.exec(text)?.[1] ?? []).at(-1)
    return { text: `It was ${heard ?? 'never told'}.` }
  }
  if (verb === 'TALK') return { text: 'and then ', endless: true }
  if (said.slice(at).some(({ by }) => by === 'tool')) return { text: 'It is written.' }
  return verb === 'READ' ? readWith(tools, argument) : writeWith(tools, argument)
}

function readWith(tools: readonly Tool[], path: string): Reply {
  const read = tools.find(({ name }) => ['Read', 'read', 'read_file'].includes(name))
  return read ? { tool: read.name, input: { [pathKey(read)]: path } } : { text: 'No tool reads.' }
}

function pathKey({ properties }: Tool): string {
  return ['filePath', 'path', 'absolute_path'].find((name) => name in properties) ?? 'file_path'
}

function writeWith(tools: readonly Tool[], path: string): Reply {
  const write = tools.find(({ name }) => ['Write', 'write', 'write_file'].includes(name))
  if (write) return { tool: write.name, input: { [pathKey(write)]: path, content: WRITTEN } }
  const shell = tools.find(({ name }) => ['exec_command', 'shell_command', 'shell'].includes(name))
  if (!shell) return { text: `No tool of ${tools.map(({ name }) => name).join(', ')} writes.` }
  const line = `printf '${WRITTEN.trim()}\\n' > ${path}`
  const input: Json = {}
  if ('cmd' in shell.properties) input.cmd = line
  else input.command = shell.properties.command?.type === 'array' ? ['bash', '-lc', line] : line
  if ('sandbox_permissions' in shell.properties) {
    input.sandbox_permissions = 'require_escalated'
    input.justification = 'to write the file'
  }
  return { tool: shell.name, input }
}

function fromMessage({ role, content }: Json): Said[] {
  if (typeof content === 'string') return [{ by: role === 'user' ? 'user' : 'model', text: content }]
  return content.map((block: Json): Said => {
    if (block.type === 'tool_result') return { by: 'tool', text: '' }
    return { by: role === 'user' ? 'user' : 'model', text: block.text ?? '' }
  })
}

function fromItem(item: Json): Said[] {
  if (/_output$/.test(item.type)) return [{ by: 'tool', text: '' }]
  if (item.type !== 'message' && item.role === undefined) return []
  const parts = typeof item.content === 'string' ? [{ text: item.content }] : (item.content as Json[])
  return parts.map(({ text }) => ({ by: item.role === 'user' ? 'user' : 'model', text: text ?? '' }))
}

function fromMessagesTool(tool: Json): Tool {
  return {
    name: tool.name,
    properties: tool.input_schema?.properties ?? {},
    required: tool.input_schema?.required ?? [],
  }
}

function fromResponsesTool(tool: Json): Tool {
  return { name: tool.name, properties: tool.parameters?.properties ?? {}, required: tool.parameters?.required ?? [] }
}

const INPUT_TOKENS = 100
const OUTPUT_TOKENS = 20
let lastId = 0

function messageEvents(reply: Reply): Json[] {
  const isText = 'text' in reply
  const usage = { input_tokens: INPUT_TOKENS, output_tokens: 1 }
  const head = { id: `msg_${++lastId}`, type: 'message', role: 'assistant', model: 'scripted', content: [] }
  const block = isText
    ? { type: 'text', text: '' }
    : { type: 'tool_use', id: `toolu_${lastId}`, name: reply.tool, input: {} }
  const delta = isText
    ? { type: 'text_delta', text: reply.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(reply.input) }
  return [
    { type: 'message_start', message: { ...head, stop_reason: null, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: OUTPUT_TOKENS },
    },
    { type: 'message_stop' },
  ]
}

function responseEvents(reply: Reply): Json[] {
  const id = `resp_${++lastId}`
  const item =
    'text' in reply
      ? {
          type: 'message',
          id: `msg_${lastId}`,
          role: 'assistant',
          content: [{ type: 'output_text', text: reply.text }],
        }
      : {
          type: 'function_call',
          id: `fc_${lastId}`,
          call_id: `call_${lastId}`,
          name: reply.tool,
          arguments: JSON.stringify(reply.input),
        }
  const usage = {
    input_tokens: INPUT_TOKENS,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: OUTPUT_TOKENS,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
  }
  return [
    { type: 'response.created', response: { id } },
    { type: 'response.output_item.added', output_index: 0, item },
    ...('text' in reply
      ? [{ type: 'response.output_text.delta', item_id: item.id, output_index: 0, content_index: 0, delta: reply.text }]
      : []),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id, output: [item], usage } },
  ]
}

/** As events without a type. */
function sendChunks(response: ServerResponse, chunks: readonly Json[], end?: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  response.end(end === undefined ? '' : `data: ${end}\n\n`)
}

const WORDS = 600
const WORD_MS = 100

function sendEvents(response: ServerResponse, events: readonly Json[], endless = false): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (event: Json) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const word = events.findIndex(({ type }) => /delta$/.test(type))
  for (const event of events.slice(0, endless ? word : undefined)) write(event)
  if (!endless) return void response.end()
  let left = WORDS
  const timer = setInterval(() => {
    if (left-- > 0) return void write(events[word]!)
    clearInterval(timer)
    for (const event of events.slice(word)) write(event)
    response.end()
  }, WORD_MS)
  response.once('close', () => clearInterval(timer))
}

async function readJson(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? {} : (JSON.parse(text) as Json)
}
