// Nobody killed an agent that ended on its own, although both have the status killed.
import type { HistoryEvent } from '../../api/session-feed.ts'

/** By their numbers. */
export function endsAlone(history: readonly HistoryEvent[]): Set<number> {
  const alone = new Set<number>()
  let isCommanded = false
  for (const event of history) {
    if (event.type === 'runtime.started') isCommanded = false
    if (event.type === 'operation.started' && event.operation !== 'spawn' && event.operation !== 'restore')
      isCommanded = true
    if (event.type === 'status.changed' && event.to === 'killed' && !isCommanded) alone.add(event.seq)
  }
  return alone
}
