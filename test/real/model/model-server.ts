// A model that follows a script (script.ts), on loopback only, in the words of four APIs: Anthropic's messages, OpenAI's
// responses and chat completions, Google's generateContent. It writes down what it was asked and when it answered: that is
// what really happened, against which the states that ao reports are measured.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Answer,
  chatChunks,
  contentChunks,
  fromChatMessage,
  fromChatTool,
  fromContent,
  fromDeclarations,
  INPUT_TOKENS,
  type Json,
  OUTPUT_TOKENS,
  type Reply,
  type Said,
  type Tool,
} from './chat-apis.ts'
import {
  fromItem,
  fromMessage,
  fromMessagesTool,
  fromResponsesTool,
  messageEvents,
  responseEvents,
} from './openai-and-anthropic.ts'
import { decide, scriptIn } from './script.ts'

/** One request with tools, that is a step of a turn. */
export interface Step {
  askedAt: number
  /** Also when the agent hung up. */
  answeredAt: number | null
  /** The whole answer was sent. */
  isComplete: boolean
  /** Everything that the user has said, oldest first. */
  userTexts: string[]
  verb: string | null
  reply: Reply
}

export interface ModelServer {
  url: string
  /** How many requests held a script. */
  requestsMade(): number
  /** How many requests held these words. */
  heard(wording: string): number
  readonly steps: readonly Step[]
  /** The reported cost of all answers, including those to questions without tools. */
  tokens(): { input: number; output: number }
  close(): Promise<void>
}

interface Asked {
  turns: Said[]
  tools: Tool[]
  send(response: ServerResponse, reply: Exclude<Reply, { error: number }>): void
}

export async function startModelServer(): Promise<ModelServer> {
  const steps: Step[] = []
  const bodies: string[] = []
  let answers = 0
  const server = createServer((request, response) => {
    void answer(request, response).catch((error) => response.destroy(error as Error))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const askedAt = Date.now()
    const path = (request.url ?? '').split('?')[0] ?? ''
    const body = await readJson(request)
    bodies.push(JSON.stringify(body))
    const question = readRequest(path, body)
    if (!question) {
      answerOther(path, response)
      return
    }
    const reply = decide(question.turns, question.tools)
    const step: Step = {
      askedAt,
      answeredAt: null,
      isComplete: false,
      userTexts: question.turns.filter(({ by }) => by === 'user').map(({ text }) => text),
      verb: scriptIn(question.turns)?.verb ?? null,
      reply,
    }
    if (question.tools.length > 0) steps.push(step)
    response.once('close', () => {
      step.answeredAt = Date.now()
      step.isComplete = response.writableFinished
    })
    if ('error' in reply) {
      refuse(response, reply.error)
      return
    }
    answers++
    question.send(response, reply)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestsMade: () => steps.filter(({ verb }) => verb !== null).length,
    heard: (wording) => bodies.filter((body) => body.includes(wording)).length,
    steps,
    tokens: () => ({ input: answers * INPUT_TOKENS, output: answers * OUTPUT_TOKENS }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function readRequest(path: string, body: Json): Asked | null {
  if (path === '/v1/messages') {
    return {
      turns: body.messages.flatMap(fromMessage),
      tools: (body.tools ?? []).map(fromMessagesTool),
      send: (response, reply) => sendEvents(response, messageEvents(reply), wordsOf(reply)),
    }
  }
  if (path === '/v1/responses') {
    return {
      turns: body.input.flatMap(fromItem),
      tools: (body.tools ?? []).map(fromResponsesTool),
      send: (response, reply) => sendEvents(response, responseEvents(reply), wordsOf(reply)),
    }
  }
  if (path === '/v1/chat/completions') {
    return {
      turns: body.messages.flatMap(fromChatMessage),
      tools: (body.tools ?? []).map(fromChatTool),
      send: (response, reply) => sendChunks(response, chatChunks(reply), { end: '[DONE]', wordCount: wordsOf(reply) }),
    }
  }
  if (!/:(?:streamG|g)enerateContent$/.test(path)) return null
  return {
    turns: body.contents.flatMap(fromContent),
    tools: (body.tools ?? []).flatMap(fromDeclarations),
    send: (response, reply) =>
      path.endsWith(':streamGenerateContent')
        ? sendChunks(response, contentChunks(reply), { wordCount: wordsOf(reply) })
        : sendJson(response, 200, contentChunks({ text: '{}' })[0]!),
  }
}

function answerOther(path: string, response: ServerResponse): void {
  const isCount = path === '/v1/messages/count_tokens'
  sendJson(response, isCount ? 200 : 404, isCount ? { input_tokens: 10 } : { error: { message: `no ${path}` } })
}

const ERRORS: Readonly<Record<number, [type: string, message: string]>> = {
  401: ['authentication_error', 'invalid x-api-key'],
  429: ['rate_limit_error', 'Rate limited'],
  500: ['api_error', 'Internal server error'],
  529: ['overloaded_error', 'Overloaded'],
}

function refuse(response: ServerResponse, status: number): void {
  const [type, message] = ERRORS[status] ?? ['api_error', 'An error']
  sendJson(response, status, { type: 'error', error: { type, message, code: status, status: message } })
}

function sendJson(response: ServerResponse, status: number, value: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

const WORD_MS = 100

const wordsOf = (reply: Answer): number => ('text' in reply ? (reply.wordCount ?? 0) : 0)

/** As events without a type. The first of a long answer is repeated. */
function sendChunks(response: ServerResponse, chunks: readonly Json[], how: { end?: string; wordCount: number }): void {
  const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const finish = () => response.end(lines.join('') + (how.end === undefined ? '' : `data: ${how.end}\n\n`))
  if (how.wordCount === 0) return void finish()
  repeat(response, how.wordCount, (n) => response.write(unfinished(chunks[0]!, n)), finish)
}

/** Words that differ, because agents stop a model that repeats itself; without the word that the answer is complete. */
function unfinished(chunk: Json, n: number): string {
  const text = JSON.stringify(chunk, (key, value) => (key === 'finishReason' ? undefined : value))
  return `data: ${text.replace('and then ', `w${(n * 7919) % 9973} `)}\n\n`
}

function sendEvents(response: ServerResponse, events: readonly Json[], wordCount: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const write = (event: Json) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const word = events.findIndex(({ type }) => /delta$/.test(type))
  for (const event of events.slice(0, wordCount > 0 ? word : undefined)) write(event)
  if (wordCount === 0) return void response.end()
  repeat(
    response,
    wordCount,
    () => write(events[word]!),
    () => {
      for (const event of events.slice(word)) write(event)
      response.end()
    },
  )
}

function repeat(response: ServerResponse, wordCount: number, word: (n: number) => void, finish: () => void): void {
  let turns = 0
  const timer = setInterval(() => {
    if (turns++ < wordCount) return word(turns)
    clearInterval(timer)
    finish()
  }, WORD_MS)
  response.once('close', () => clearInterval(timer))
}

async function readJson(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? {} : (JSON.parse(text) as Json)
}
