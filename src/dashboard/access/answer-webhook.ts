// One webhook request: signature, replay, and which projects it concerns. An event is only a hint, never a fact.
import { type OrchestratorConfig, type ProjectConfig, pluginName } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import type { WebhookEvent, WebhookRequest } from '../../slots/scm.ts'
import { type Answer, refused, type TriggerContext } from './answer-trigger.ts'
import type { DeliveryLog } from './delivery-log.ts'

export interface WebhookContext extends TriggerContext {
  config: OrchestratorConfig
  registry: PluginRegistry
  deliveries: DeliveryLog
  askForge(projectId: string): void
}

export async function answerWebhook(context: WebhookContext, plugin: string, request: WebhookRequest): Promise<Answer> {
  const secret = context.config.webhooks?.[plugin]?.secret
  const projects = projectsOn(context.config, plugin)
  if (secret === undefined || projects.length === 0) return refused(404, `No webhook is configured for ${plugin}`)
  let event: WebhookEvent | null
  try {
    event = await parse(context.registry, projects[0]!, plugin, request, secret)
  } catch (error) {
    const status = error instanceof AoError && error.httpStatus < 500 ? error.httpStatus : 401
    return refused(status === 404 ? 404 : 401, errorText(error))
  }
  if (event === null) return { status: 202, body: { ok: true, projects: [] } }
  // Delivered again, by a forge that retries or by a person: nothing is left to do, which is not a failure.
  if (!context.deliveries.take(`${plugin} ${event.deliveryId}`))
    return { status: 200, body: { ok: true, projects: [], repeated: true } }
  const matching = projects.filter(({ repo }) => repo?.toLowerCase() === event.repo?.toLowerCase()).map(({ id }) => id)
  for (const id of matching) context.askForge(id)
  return { status: 202, body: { ok: true, projects: matching } }
}

async function parse(
  registry: PluginRegistry,
  project: ProjectConfig,
  plugin: string,
  request: WebhookRequest,
  secret: string,
): Promise<WebhookEvent | null> {
  const scm = await registry.load('scm', project.scm ?? plugin)
  if (!scm.parseWebhook) throw new AoError('PLUGIN_NOT_FOUND', `${plugin} takes no webhooks`)
  return scm.parseWebhook(request, secret)
}

function projectsOn(config: OrchestratorConfig, plugin: string): ProjectConfig[] {
  return Object.values(config.projects).filter(({ scm }) => scm !== undefined && pluginName(scm) === plugin)
}
