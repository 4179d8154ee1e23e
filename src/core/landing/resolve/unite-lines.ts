// Both sides' lines of a file in which order among new lines means nothing: a changelog, a registry. Only where both sides added
// something: a line that one side changed or removed where the other one wrote needs somebody. Pure.

interface Hunk {
  /** Lines of the common file that it replaces, from and up to. */
  from: number
  to: number
  lines: string[]
}

const MOST_LINES = 50_000
/** Differences beyond this are not worth the time. */
const MOST_EDITS = 500

/** The base branch's new lines come before the change's. null: it is not only a matter of both sides' lines. */
export function uniteLines(common: string, ours: string, theirs: string): string | null {
  const [base, one, other] = [common, ours, theirs].map(linesOf) as [string[], string[], string[]]
  const hunks = [diff(base, one), diff(base, other)] as const
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
  return apply(base, merged)
}

/** With its line break; the last one may have none. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
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

function apply(base: readonly string[], hunks: readonly Hunk[]): string {
  let at = 0
  const parts: string[] = []
  for (const { from, to, lines } of hunks) {
    parts.push(...base.slice(at, from), ...lines)
    at = to
  }
  parts.push(...base.slice(at))
  // A last line without a line break has something behind it now.
  return parts.map((line, index) => (index < parts.length - 1 && !line.endsWith('\n') ? `${line}\n` : line)).join('')
}

/** null: too large, or too different. */
function diff(before: readonly string[], after: readonly string[]): Hunk[] | null {
  if (before.length > MOST_LINES || after.length > MOST_LINES) return null
  let start = 0
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++
  let end = 0
  const shorter = Math.min(before.length, after.length) - start
  while (end < shorter && before.at(-1 - end) === after.at(-1 - end)) end++
  const pairs = commonLines(before.slice(start, before.length - end), after.slice(start, after.length - end))
  if (pairs === null) return null
  const hunks: Hunk[] = []
  let [x, y] = [start, start]
  for (const [one, other] of [...pairs, [before.length - end - start, after.length - end - start] as const]) {
    const [toX, toY] = [one + start, other + start]
    if (toX > x || toY > y) hunks.push({ from: x, to: toX, lines: after.slice(y, toY) })
    ;[x, y] = [toX + 1, toY + 1]
  }
  return hunks
}

/** Positions of lines that both have, by Myers' shortest edit script. null: there are too many edits. */
function commonLines(a: readonly string[], b: readonly string[]): Array<readonly [number, number]> | null {
  if (a.length === 0 || b.length === 0) return []
  const rounds: Map<number, number>[] = []
  let furthest = new Map([[1, 0]])
  for (let edits = 0; edits <= Math.min(MOST_EDITS, a.length + b.length); edits++) {
    rounds.push(furthest)
    furthest = new Map(furthest)
    for (let k = -edits; k <= edits; k += 2) {
      const goesDown = k === -edits || (k !== edits && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1))
      let x = goesDown ? furthest.get(k + 1)! : furthest.get(k - 1)! + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      furthest.set(k, x)
      if (x >= a.length && x - k >= b.length) return walkBack(rounds, a.length, b.length)
    }
  }
  return null
}

function walkBack(rounds: ReadonlyArray<Map<number, number>>, endX: number, endY: number) {
  const pairs: Array<readonly [number, number]> = []
  let [x, y] = [endX, endY]
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const furthest = rounds[edits]!
    const k = x - y
    const wentDown = k === -edits || (k !== edits && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1))
    const fromK = wentDown ? k + 1 : k - 1
    const [fromX, fromY] = edits === 0 ? [0, 0] : [furthest.get(fromK)!, furthest.get(fromK)! - fromK]
    while (x > fromX && y > fromY) pairs.unshift([--x, --y])
    if (edits > 0) [x, y] = [fromX, fromY]
  }
  return pairs
}
