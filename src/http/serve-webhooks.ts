// The loop's door for forges: POST /api/webhooks/<scm plugin> on the loopback address, opened only when one is configured.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { OrchestratorConfig } from '../contract/config.ts'
import { AoError, errorText } from '../contract/errors.ts'
import type { Log } from '../lib/log.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import { type Answer, answerWebhook, type WebhookPlace } from './answer-webhook.ts'
import { openDeliveryLog } from './delivery-log.ts'

export interface WebhookServerOptions {
  config: OrchestratorConfig
  registry: PluginRegistry
  loop: { askForge(projectId: string): void }
  /** File that remembers which deliveries were taken. */
  deliveries: string
  log: Log
}

const MOST_BYTES = 5 * 1024 * 1024
const REQUEST_MS = 10_000
const SHORTEST_SECRET = 8
const ROUTE = /^\/api\/webhooks\/([A-Za-z0-9_-]{1,64})$/

export async function serveWebhooks(
  options: WebhookServerOptions,
): Promise<{ port: number | null; close(): Promise<void> }> {
  const { config, log } = options
  if (Object.keys(config.webhooks ?? {}).length === 0) return { port: null, close: async () => undefined }
  refuseWeakSecrets(config)
  const place: WebhookPlace = {
    config,
    registry: options.registry,
    deliveries: openDeliveryLog(options.deliveries),
    askForge: (projectId) => options.loop.askForge(projectId),
  }
  const server = createServer((request, response) => {
    answer(place, request)
      .catch((error): Answer => {
        log.error(`a webhook could not be answered: ${errorText(error)}`)
        return { status: 500, body: { error: { message: 'It could not be answered' } } }
      })
      .then((given) => send(response, given))
  })
  server.requestTimeout = REQUEST_MS
  server.headersTimeout = REQUEST_MS
  const port = await listen(server, config.port)
  log.info(`listening for webhooks on http://127.0.0.1:${port}/api/webhooks/`)
  return { port, close: () => close(server) }
}

/** Known only now: in the file it is usually the name of a variable. */
function refuseWeakSecrets(config: OrchestratorConfig): void {
  for (const [plugin, { secret }] of Object.entries(config.webhooks ?? {})) {
    if (secret.length >= SHORTEST_SECRET) continue
    throw new AoError('CONFIG_INVALID', `webhooks.${plugin}.secret must have at least ${SHORTEST_SECRET} characters`)
  }
}

async function answer(place: WebhookPlace, request: IncomingMessage): Promise<Answer> {
  const plugin = ROUTE.exec(request.url ?? '')?.[1]
  if (plugin === undefined) return { status: 404, body: { error: { message: 'There is nothing here' } } }
  if (request.method !== 'POST') return { status: 405, body: { error: { message: 'Only POST is taken' } } }
  const body = await readBody(request)
  if (body === null) return { status: 413, body: { error: { message: 'The body is too large' } } }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
  return answerWebhook(place, plugin, { headers, body })
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(body))
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new AoError('PORT_TAKEN', `Webhooks cannot be listened for on port ${port}: ${error.message}`, {
          hint: 'Choose another with `port:` in the configuration',
          cause: error,
        }),
      ),
    )
    // Loopback only: what comes from outside comes through the user's own tunnel or proxy.
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
