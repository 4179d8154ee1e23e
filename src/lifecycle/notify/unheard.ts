// Whether anybody hears of what needs a person. A notifier that fails cannot say so itself: the page has to.
import type { NotificationPriority } from '../../slots/notifier.ts'
import { routeNotification } from './route-notification.ts'

/** Before a notifier's name, in the loop's health. */
export const NOTIFIER_SURFACE = 'notifier-'

type Routing = Parameters<typeof routeNotification>[0]
type Health = Readonly<Record<string, { status: string; reason?: string | undefined }>>

/** What nobody may miss. */
const VITAL: readonly NotificationPriority[] = ['urgent', 'action']

/** Why the last notification through it was not delivered; null: it was, or there has been none. */
export function notifierProblem(health: Health, name: string): string | null {
  const surface = `${NOTIFIER_SURFACE}${name}`
  const { status, reason } = (Object.hasOwn(health, surface) ? health[surface] : undefined) ?? { status: 'ok' }
  return status === 'ok' ? null : (reason ?? status)
}

/** null: somebody is told, or a route is empty on purpose. */
export function describeUnheard(config: Routing, health: Health): string | null {
  // A browser with push messages hears of everything that needs somebody.
  if (Object.hasOwn(health, `${NOTIFIER_SURFACE}push`) && notifierProblem(health, 'push') === null) return null
  const unheard = VITAL.filter((priority) => {
    const names = routeNotification(config, priority)
    return names.length > 0 && names.every((name) => notifierProblem(health, name) !== null)
  })
  if (unheard.length === 0) return null
  const names = [...new Set(unheard.flatMap((priority) => routeNotification(config, priority)))]
  const failing = names.map((name) => `${name} (${notifierProblem(health, name)})`)
  return `No one receives notifications of priority ${unheard.join(' or ')}: ${failing.join(', ')}`
}
