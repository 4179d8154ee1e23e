// A list that does not move under the pointer: while it is held, its items keep their positions, leaving items stay as shades,
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
/** The maximum, under a pointer that never leaves: what it left for must not stay hidden. */
export const LONGEST_SHADE_MS = 10_000

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
    return still.goneAt === null || isShade(still, now, held === 'pointer' ? LONGEST_SHADE_MS : SHADE_MS) ? [still] : []
  })
  const oldKeys = new Set(before.map(({ key }) => key))
  return [...kept, ...live.filter(({ key }) => !oldKeys.has(key))]
}

export interface Listed<T> {
  id: string
  items: readonly T[]
  held: Held
}

/**
 * Lists between which items move. An item is in one list only: while its shade is in the list that it left, the list that
 * it belongs to now does not have it yet.
 */
export function keepAllSteady<T>(
  before: ReadonlyMap<string, readonly Entry<T>[]>,
  lists: readonly Listed<T>[],
  { keyOf, now }: Pick<Wish<T>, 'keyOf' | 'now'>,
): Map<string, readonly Entry<T>[]> {
  const kept = lists.map(({ id, items, held }) => {
    const entries = keepSteady(before.get(id) ?? [], { items, keyOf, held, now })
    return { id, entries }
  })
  const shades = new Set(
    kept.flatMap(({ entries }) => entries.flatMap((one) => (one.goneAt === null ? [] : [one.key]))),
  )
  return new Map(
    kept.map(({ id, entries }) => {
      const shown = entries.filter(({ key, goneAt }) => goneAt !== null || !shades.has(key))
      const old = before.get(id)
      return [id, old && isSame(old, shown) ? old : shown]
    }),
  )
}

/** The same array means that nothing has to be drawn again. */
function isSame<T>(a: readonly Entry<T>[], b: readonly Entry<T>[]): boolean {
  return a.length === b.length && a.every(({ item, goneAt }, at) => item === b[at]!.item && goneAt === b[at]!.goneAt)
}

/** When the next shade may go; null: there is none. */
export function nextEnd(entries: readonly Entry<unknown>[], held: Held): number | null {
  const ms = held === 'pointer' ? LONGEST_SHADE_MS : SHADE_MS
  const ends = entries.flatMap(({ goneAt }) => (goneAt === null ? [] : [goneAt + ms]))
  return ends.length === 0 ? null : Math.min(...ends)
}

function isShade({ goneAt }: Entry<unknown>, now: number, ms = SHADE_MS): boolean {
  return goneAt !== null && now - goneAt < ms
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
