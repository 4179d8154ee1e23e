// Both sides' lines of a file in which order among new lines means nothing: a changelog, a registry. Only where both sides added
// something: a line that one side changed or removed where the other one wrote needs somebody. Pure.
import { applyHunks, diffLines, type Hunk, joinLines, linesOf } from '../../text/diff-lines.ts'

/** The base branch's new lines come before the change's. null: it is not only a matter of both sides' lines. */
export function uniteLines(common: string, ours: string, theirs: string): string | null {
  const [base, one, other] = [common, ours, theirs].map(linesOf) as [string[], string[], string[]]
  const hunks = [diffLines(base, one), diffLines(base, other)] as const
  if (hunks[0] === null || hunks[1] === null) return null
  const merged: Hunk[] = []
  const [left, right] = [[...hunks[0]], [...hunks[1]]]
  while (left.length > 0 || right.length > 0) {
    const [a, b] = [left[0], right[0]]
    if (a === undefined || b === undefined || !meets(a, b)) {
      const isLeft = b === undefined || (a !== undefined && a.from < b.from)
      merged.push((isLeft ? left : right).shift()!)
      continue
    }
    const united = uniteHunks(a, b)
    if (united === null) return null
    merged.push(united)
    left.shift()
    right.shift()
    // Next to it something else was changed.
    if ([left[0], right[0]].some((next) => next !== undefined && meets(next, united))) return null
  }
  return joinLines(applyHunks(base, merged), { ours, theirs })
}

/** They touch, so that it is not for git to say which comes first. */
function meets(a: Hunk, b: Hunk): boolean {
  return a.from <= b.to && b.from <= a.to
}

function uniteHunks(a: Hunk, b: Hunk): Hunk | null {
  const areSame = a.from === b.from && a.to === b.to && a.lines.join('') === b.lines.join('')
  if (areSame) return a
  // Both only added something, at the same point.
  if (a.from !== a.to || b.from !== b.to) return null
  let start = 0
  while (start < Math.min(a.lines.length, b.lines.length) && a.lines[start] === b.lines[start]) start++
  let end = 0
  const shorter = Math.min(a.lines.length, b.lines.length) - start
  while (end < shorter && a.lines.at(-1 - end) === b.lines.at(-1 - end)) end++
  const middle = (lines: string[]) => lines.slice(start, lines.length - end)
  const lines = [
    ...a.lines.slice(0, start),
    ...middle(a.lines),
    ...middle(b.lines),
    ...a.lines.slice(a.lines.length - end),
  ]
  return { from: a.from, to: a.to, lines }
}
