// `ao doctor --test-notify`: one real notification through every notifier that a route names.
import { errorText } from '../../../contract/errors.ts'
import { listNotifiers, type RoutedNotifier, tryNotifier } from '../../../lifecycle/notify/try-notifier.ts'
import type { Finding } from '../../print/findings.ts'
import type { Ao } from '../open-ao.ts'

export async function checkNotifiers(ao: Ao): Promise<Finding[]> {
  const routed = listNotifiers(ao.config).filter(({ priorities }) => priorities.length > 0)
  if (routed.length === 0) return [{ level: 'warn', name: 'notifiers', detail: 'no route leads to a notifier' }]
  return Promise.all(routed.map((notifier) => check(ao, notifier)))
}

async function check(ao: Ao, { name, priorities }: RoutedNotifier): Promise<Finding> {
  try {
    await tryNotifier(ao, name)
    const gets = priorities.join(', ')
    return {
      level: 'pass',
      name: `notifier ${name}`,
      detail: `a test was delivered; it gets notifications of priority ${gets}`,
    }
  } catch (error) {
    return {
      level: 'fail',
      name: `notifier ${name}`,
      detail: errorText(error),
      fix: `Correct it under notifiers: in ${ao.config.configPath}`,
    }
  }
}
