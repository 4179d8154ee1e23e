// A list that does not move under the pointer: while it is held, its items keep their places, leaving items stay as shades,
// and new ones are added at the end. Pure.

/** What holds a list: a pointer over it, the focus in it, or nothing. */
export type Held = 'pointer' | 'focus' | null

export interface Entry<T> {
  key: string
  item: T
  /** When it left the list, in ms; null: it is still in it. */
  goneAt: number | null
}

/** The minimum time a shade stays. */
export const SHADE_MS = 2_000

interface Wish<T> {
  items: readonly T[]
  keyOf: (item: T) => string
  held: Held
  now: number
}

export function keepSteady<T>(before: readonly Entry<T>[], { items, keyOf, held, now }: Wish<T>): Entry<T>[] {
  const live = items.map((item): Entry<T> => ({ key: keyOf(item), item, goneAt: null }))
  const byKey = new Map(live.map((entry) => [entry.key, entry]))
  if (held === null) return withShades(live, before, (entry) => !byKey.has(entry.key) && isShade(entry, now))
  const kept = before.flatMap((entry) => {
    const still = byKey.get(entry.key) ?? { ...entry, goneAt: entry.goneAt ?? now }
    // The keyboard acts on the focused item, wherever it is: only a pointer needs shades for longer.
    return still.goneAt === null || held === 'pointer' || isShade(still, now) ? [still] : []
  })
  const known = new Set(before.map(({ key }) => key))
  return [...kept, ...live.filter(({ key }) => !known.has(key))]
}

/** When the next shade may go; null: there is none. */
export function nextEnd(entries: readonly Entry<unknown>[]): number | null {
  const ends = entries.flatMap(({ goneAt }) => (goneAt === null ? [] : [goneAt + SHADE_MS]))
  return ends.length === 0 ? null : Math.min(...ends)
}

function isShade({ goneAt }: Entry<unknown>, now: number): boolean {
  return goneAt !== null && now - goneAt < SHADE_MS
}

/** Shades stay where they were. */
function withShades<T>(
  live: Entry<T>[],
  before: readonly Entry<T>[],
  isKept: (entry: Entry<T>) => boolean,
): Entry<T>[] {
  const entries = [...live]
  for (const [index, entry] of before.entries()) {
    if (isKept(entry)) entries.splice(Math.min(index, entries.length), 0, entry)
  }
  return entries
}
