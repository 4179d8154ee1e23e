// One real notification through one notifier, for `ao doctor --test-notify` and the dashboard's button.
import { type OrchestratorConfig, pluginName } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { NotificationPriority } from '../../slots/notifier.ts'
import type { PluginRegistry } from '../../slots/registry.ts'
import { notifierChoice, routeNotification } from './route-notification.ts'

const PRIORITIES: readonly NotificationPriority[] = ['urgent', 'action', 'warning', 'info']

export interface RoutedNotifier {
  name: string
  plugin: string
  /** What it receives. */
  priorities: NotificationPriority[]
}

/** Every notifier that a route leads to, and configured ones that receive nothing. */
export function listNotifiers(config: OrchestratorConfig): RoutedNotifier[] {
  const routed = PRIORITIES.flatMap((priority) => routeNotification(config, priority))
  const names = [...new Set([...routed, ...Object.keys(config.notifiers ?? {})])]
  return names.map((name) => ({
    name,
    plugin: pluginName(notifierChoice(config, name)),
    priorities: PRIORITIES.filter((priority) => routeNotification(config, priority).includes(name)),
  }))
}

/** Throws when it was not delivered. */
export async function tryNotifier(
  { config, registry }: { config: OrchestratorConfig; registry: PluginRegistry },
  name: string,
): Promise<RoutedNotifier> {
  const notifier = listNotifiers(config).find((one) => one.name === name)
  if (!notifier)
    throw new AoError('USAGE', `There is no notifier ${name}`, {
      hint: `Add it under notifiers: in ${config.configPath}`,
    })
  const sender = await registry.load('notifier', notifierChoice(config, name))
  await sender.notify({
    type: 'test.notification',
    message: `This is a test: ${name} gets notifications ${notifier.priorities.length > 0 ? `of priority ${notifier.priorities.join(', ')}` : 'sent to it by name'}`,
    priority: 'info',
  })
  return notifier
}
