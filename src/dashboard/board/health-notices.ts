// What the running loop has trouble with, as notices: a forge that does not answer, files that cannot be watched.
import type { Notice } from '../../contract/dashboard/cards.ts'
import { readObservability } from '../../store/observability/summary.ts'
import type { AoPaths } from '../../store/paths.ts'

const PREFIX = 'health '
const LONGEST = 300

/** Those of the loop only: what a command met is over with it. */
export function healthNotices(paths: Pick<AoPaths, 'observability'>): Notice[] {
  return Object.entries(readObservability(paths).health).flatMap(([surface, { status, reason, component }]) => {
    // Whoever reads this is told by the page; that a notifier fails is on the page of the loop's health.
    if (status === 'ok' || component !== 'lifecycle' || surface.startsWith('notifier-')) return []
    return [{ id: `${PREFIX}${surface}`, level: status, text: `${surface}: ${reason ?? status}`.slice(0, LONGEST) }]
  })
}

export function isHealthNotice({ id }: Notice): boolean {
  return id.startsWith(PREFIX)
}
