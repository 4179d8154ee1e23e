import type { SessionEvent } from '../../contract/events.ts'

/**
 * Histories of several sessions as one, by time. Each history keeps its own order, which is that of its numbers: when
 * the clock was put back, a later event has an earlier time.
 */
export function orderEvents(histories: SessionEvent[][]): SessionEvent[] {
  const timed = histories.flatMap((events) => {
    let latest = ''
    return events.map((event) => {
      if (event.at > latest) latest = event.at
      return { event, time: latest }
    })
  })
  return timed.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ event }) => event)
}
