// The endpoint for forges and for whoever starts work: POST /api/webhooks/<scm plugin>, /api/webhooks/trigger/<project>/<name>. Their credentials are the signature, so they accept any host:
// outside requests come through the user's own tunnel or proxy.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { headersOf, readBytes } from '../../http/exchange.ts'
import type { Log } from '../../lib/log.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import { type Answer, answerTrigger, refuseWeakTriggers, type TriggerContext } from './answer-trigger.ts'
import { answerWebhook, type WebhookContext } from './answer-webhook.ts'
import { openDeliveryLog } from './delivery-log.ts'

export interface WebhookOptions {
  config: OrchestratorConfig
  now(): Date
  /** Writes down what a signed request starts. */
  noteRequest: TriggerContext['note']
  registry: PluginRegistry
  loop: { askForge(projectId: string): void } | null
  /** The file that remembers accepted deliveries. */
  deliveries: string
}

export const WEBHOOK_PATHS = '/api/webhooks/'

const MOST_BYTES = 5 * 1024 * 1024
const SHORTEST_SECRET = 8
const TRIGGER = /^\/api\/webhooks\/trigger\/([A-Za-z0-9_-]{1,128})\/([A-Za-z0-9_-]{1,128})$/
const ROUTE = /^\/api\/webhooks\/([A-Za-z0-9_-]{1,64})$/

/** null: no webhook is configured. */
export function createWebhookContext(options: WebhookOptions): WebhookContext | null {
  const { config, registry, loop, deliveries, now, noteRequest } = options
  const hasTriggers = Object.values(config.projects).some(({ triggers = {} }) =>
    Object.values(triggers).some(({ secret }) => secret !== undefined),
  )
  if (loop === null || (Object.keys(config.webhooks ?? {}).length === 0 && !hasTriggers)) return null
  refuseWeakSecrets(config)
  refuseWeakTriggers(config)
  return {
    config,
    now,
    note: async (project, name, event) => {
      const outcome = await noteRequest(project, name, event)
      if (outcome === 'noted') loop.askForge(project)
      return outcome
    },
    registry,
    deliveries: openDeliveryLog(deliveries),
    askForge: (projectId) => loop.askForge(projectId),
  }
}

export async function receiveWebhook(
  context: WebhookContext | null,
  request: IncomingMessage,
  response: ServerResponse,
  log: Log,
): Promise<void> {
  const given = await answer(context, request).catch((error): Answer => {
    log.error(`a webhook could not be answered: ${errorText(error)}`)
    return { status: 500, body: { error: { message: 'It could not be answered' } } }
  })
  response.writeHead(given.status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(given.body))
}

/** Known only now: in the file it is usually the name of a variable. */
function refuseWeakSecrets(config: OrchestratorConfig): void {
  for (const [plugin, { secret }] of Object.entries(config.webhooks ?? {})) {
    if (secret.length >= SHORTEST_SECRET) continue
    throw new AoError('CONFIG_INVALID', `webhooks.${plugin}.secret must have at least ${SHORTEST_SECRET} characters`)
  }
}

async function answer(context: WebhookContext | null, request: IncomingMessage): Promise<Answer> {
  const plugin = ROUTE.exec(request.url ?? '')?.[1]
  const [, project, name] = TRIGGER.exec(request.url ?? '') ?? []
  if ((plugin === undefined && name === undefined) || context === null)
    return { status: 404, body: { error: { message: 'There is nothing here' } } }
  if (request.method !== 'POST') return { status: 405, body: { error: { message: 'Only POST is taken' } } }
  try {
    const body = await readBytes(request, MOST_BYTES)
    const given = { headers: headersOf(request), body }
    if (plugin !== undefined) return await answerWebhook(context, plugin, given)
    return await answerTrigger(context, { project: project!, name: name! }, given)
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'BODY_TOO_LARGE') throw error
    return { status: 413, body: { error: { message: 'The body is too large' } } }
  }
}
