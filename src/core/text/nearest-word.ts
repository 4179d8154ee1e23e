// Which known word a mistyped one was meant to be, and an entry of the configuration by the name that people give it.
import { AoError, type ErrorCode } from '../../contract/errors.ts'

const LONGEST = 64

export function nearestWord(word: string, candidates: readonly string[]): string | null {
  if (word === '' || word.length > LONGEST) return null
  const allowed = Math.min(3, Math.max(1, Math.floor(word.length / 3)))
  let best: { word: string; distance: number } | null = null
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > allowed) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance <= allowed && (best === null || distance < best.distance)) best = { word: candidate, distance }
  }
  if (best !== null) return best.word
  // Only begun: `claude` of `claude-code`. With several, none is the nearest.
  const begun = word.length < 3 ? [] : [...candidates].filter((one) => one.toLowerCase().startsWith(word.toLowerCase()))
  return begun.length === 1 ? begun[0]! : null
}

/** Insertions, deletions, replacements and swaps of two neighbours, each counted once. */
function editDistance(a: string, b: string): number {
  let twoAbove: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(above[column]! + 1, current[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1))
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) cost = Math.min(cost, twoAbove[column - 2]! + 1)
      current.push(cost)
    }
    twoAbove = above
    above = current
  }
  return above[b.length]!
}

export interface NamedRequest {
  /** As in `There is no project x`. */
  kind: string
  name: string
  code: ErrorCode
  /** Where no other name is close to this one. */
  hint?: string
  details: Record<string, unknown>
}

export function requireNamed<T>(entries: Readonly<Record<string, T>>, request: NamedRequest): T {
  const { kind, name, code, details } = request
  if (Object.hasOwn(entries, name)) return entries[name]!
  const names = Object.keys(entries)
  const near = nearestWord(name, names)
  throw new AoError(code, `There is no ${kind} ${name}; the configuration has: ${names.join(', ') || 'none'}`, {
    hint: near === null ? request.hint : `Did you mean ${near}?`,
    details,
  })
}
