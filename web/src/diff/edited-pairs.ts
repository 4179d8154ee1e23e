// Which removed line became which added one, so that only the changed words are marked. Pure.

/** The share of words two lines must have in common to count as one edited line. */
const ALIKE = 0.4

/** In order, each line once; lines without a counterpart are left out. */
export function pairEdited<T>(removed: readonly T[], added: readonly T[], textOf: (line: T) => string): Array<[T, T]> {
  const pairs: Array<[T, T]> = []
  let from = 0
  for (const line of removed) {
    const at = added.findIndex((other, index) => index >= from && areAlike(textOf(line), textOf(other)))
    if (at === -1) continue
    pairs.push([line, added[at]!])
    from = at + 1
  }
  return pairs
}

function areAlike(before: string, after: string): boolean {
  const a = tokensOf(before)
  const b = tokensOf(after)
  if (a.size === 0 || b.size === 0) return false
  const shared = [...a].filter((word) => b.has(word)).length
  return shared / Math.max(a.size, b.size) >= ALIKE
}

function tokensOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/\p{L}[\p{L}\p{N}_]*|\p{N}+/gu))
}
