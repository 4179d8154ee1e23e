// When each event of a recording is due while it is played. Pure.

/** Pauses longer than this are cut to it where nobody wants otherwise. */
export const IDLE_LIMIT_MS = 2_000

/** `moments`: milliseconds, in order. The first event is due at 0. */
export function playTimes(moments: readonly number[], idleLimitMs: number): number[] {
  let due = 0
  return moments.map((at, index) => {
    due += Math.min(Math.max(0, at - (moments[index - 1] ?? at)), idleLimitMs)
    return due
  })
}

/** How many of them are due. */
export function countDue(times: readonly number[], position: number): number {
  let [from, to] = [0, times.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (times[middle]! <= position) from = middle + 1
    else to = middle
  }
  return from
}
