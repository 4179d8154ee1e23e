import type { SessionEvent } from '../../contract/events.ts'

/**
 * The histories of several sessions merged by time. Each history keeps its own numeric order: after the clock was set back,
 * a later event has an earlier time.
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
