// Virtual time: what happens when, in order. Ten thousand sessions for an hour are some million entries.

export interface Agenda {
  now(): number
  at(time: number, act: () => void): void
  after(ms: number, act: () => void): void
  /** Everything up to this time, or nothing if there is none left. */
  runUntil(time: number): void
}

interface Entry {
  time: number
  order: number
  act: () => void
}

export function createAgenda(): Agenda {
  const heap: Entry[] = []
  let time = 0
  let order = 0
  const isBefore = (a: Entry, b: Entry) => a.time < b.time || (a.time === b.time && a.order < b.order)
  function push(entry: Entry): void {
    let at = heap.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(entry, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = entry
  }
  function pop(): Entry {
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
  const agenda: Agenda = {
    now: () => time,
    at: (when, act) => push({ time: Math.max(when, time), order: order++, act }),
    after: (ms, act) => agenda.at(time + ms, act),
    runUntil(end) {
      while (heap.length > 0 && heap[0]!.time <= end) {
        const entry = pop()
        time = entry.time
        entry.act()
      }
      time = Math.max(time, end)
    },
  }
  return agenda
}
