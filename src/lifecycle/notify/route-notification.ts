// Which notifiers get a notification: the routing of its priority, else the configured default, else the desktop.
import type { OrchestratorConfig, PluginChoice } from '../../contract/config.ts'
import type { NotificationPriority } from '../../slots/notifier.ts'

const WITHOUT_CONFIGURATION: readonly string[] = ['desktop']

type Routing = Pick<OrchestratorConfig, 'notificationRouting' | 'defaults' | 'notifiers'>

export function routeNotification(config: Routing, priority: NotificationPriority): string[] {
  const routed = config.notificationRouting?.[priority] ?? config.defaults.notifiers ?? WITHOUT_CONFIGURATION
  return [...new Set(routed)]
}

/** A name is an entry of `notifiers`, or a plugin's own name. */
export function notifierChoice(config: Routing, name: string): PluginChoice {
  const { notifiers } = config
  return (notifiers && Object.hasOwn(notifiers, name) ? notifiers[name] : undefined) ?? name
}
