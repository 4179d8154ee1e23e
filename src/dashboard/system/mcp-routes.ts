// ao's MCP server over Streamable HTTP, for programs that have the dashboard's token.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { EVERYONE } from '../../core/boundary/rights.ts'
import { headersOf, readBytes } from '../../http/exchange.ts'
import type { Call } from '../../http/route-table.ts'
import { createHttpHandler } from '../../mcp/mcp-server.ts'
import type { ApiCaller } from '../access/admit-request.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'

const SUMMARY = 'MCP over Streamable HTTP: the tools of `ao mcp`'
const MOST_BYTES = 4 * 1024 * 1024

export const MCP_ROUTES = [
  route({
    method: 'POST',
    path: '/api/mcp',
    // The role decides which tools there are.
    inside: EVERYONE,
    summary: SUMMARY,
    stream: 'text/event-stream',
    handle: serve,
  }),
  route({
    method: 'GET',
    path: '/api/mcp',
    summary: `${SUMMARY}; 405, as there are no messages without a request`,
    stream: 'text/event-stream',
    handle: serve,
  }),
]

async function serve({ context, caller, request, response }: Call<DashboardContext, ApiCaller>): Promise<undefined> {
  const handler = await createHttpHandler({
    ...context,
    role: caller.role,
    aoCommand: [...context.aoCommand, '--config', context.config.configPath],
    cwd: context.paths.home,
  })
  try {
    await send(await handler.fetch(await toRequest(request)), response)
  } finally {
    await handler.close()
  }
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const headers = headersOf(request)
  // Only the path and the headers count; the origin was checked before.
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (request.method === 'GET') return new Request(url, { headers })
  return new Request(url, { method: 'POST', headers, body: await readBytes(request, MOST_BYTES) })
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) {
    response.end()
    return
  }
  const body = Readable.fromWeb(answer.body as import('node:stream/web').ReadableStream)
  response.on('close', () => body.destroy())
  await new Promise<void>((resolve) => {
    response.on('close', resolve)
    body.on('error', () => response.destroy())
    body.pipe(response)
  })
}
