// Did the base branch get where it is only by merges that ao had announced? Pure.

export interface Move {
  from: string
  to: string
}

/** The part of the way that nobody announced; null: all of it was. */
export function findHandMove({ from, to }: Move, announced: readonly Move[]): Move | null {
  const next = new Map(announced.map((move) => [move.from, move.to]))
  const before = new Map(announced.map((move) => [move.to, move.from]))
  const start = follow(from, next, to)
  return start === to ? null : { from: start, to: follow(to, before, start) }
}

function follow(first: string, steps: ReadonlyMap<string, string>, end: string): string {
  const seen = new Set<string>()
  let at = first
  while (at !== end && !seen.has(at)) {
    seen.add(at)
    at = steps.get(at) ?? at
  }
  return at
}
