// `ao doctor --test-notify`: one real notification through every notifier that a route names.
import { errorText } from '../../../contract/errors.ts'
import { pluginName } from '../../../core/resolve-launch.ts'
import { notifierChoice, routeNotification } from '../../../lifecycle/notify/route-notification.ts'
import type { Ao } from '../open-ao.ts'
import type { Finding } from './check.ts'

const PRIORITIES = ['urgent', 'action', 'warning', 'info'] as const

export async function checkNotifiers(ao: Ao): Promise<Finding[]> {
  const names = [...new Set(PRIORITIES.flatMap((priority) => routeNotification(ao.config, priority)))]
  if (names.length === 0) return [{ level: 'warn', name: 'notifiers', detail: 'no route leads to a notifier' }]
  return Promise.all(names.map((name) => tryNotifier(ao, name)))
}

async function tryNotifier(ao: Ao, name: string): Promise<Finding> {
  const routes = PRIORITIES.filter((priority) => routeNotification(ao.config, priority).includes(name)).join(', ')
  try {
    const choice = notifierChoice(ao.config, name)
    await ao.registry.ensure('notifier', pluginName(choice))
    await ao.registry.require('notifier', choice).notify({
      type: 'test.notification',
      message: `This is a test of ao doctor: ${name} gets what is ${routes}`,
      priority: 'info',
    })
    return { level: 'pass', name: `notifier ${name}`, detail: `a test was delivered; it gets what is ${routes}` }
  } catch (error) {
    return {
      level: 'fail',
      name: `notifier ${name}`,
      detail: errorText(error),
      fix: `Correct it under notifiers: in ${ao.config.configPath}`,
    }
  }
}
