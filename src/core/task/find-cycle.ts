// Work that waits for itself would never start. Pure.

/**
 * The way from `start` back to itself, both ends included; null: there is none. Keys are compared, so whoever asks decides what
 * counts as the same work.
 */
export function findCycle(start: string, needsOf: (key: string) => readonly string[]): string[] | null {
  const visited = new Set<string>()
  const path: string[] = []
  const leadsBack = (key: string): boolean => {
    path.push(key)
    for (const next of needsOf(key)) {
      if (next === start) {
        path.push(next)
        return true
      }
      if (visited.has(next)) continue
      visited.add(next)
      if (leadsBack(next)) return true
    }
    path.pop()
    return false
  }
  return leadsBack(start) ? path : null
}
