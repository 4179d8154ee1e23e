// How one list of lines became another: which stretches of it were replaced by what, and how that is shown. Pure.

export interface Hunk {
  /** Items of the first list that it replaces, from and up to. */
  from: number
  to: number
  lines: string[]
}

const MOST_LINES = 50_000
/** Differences beyond this, among lines that a file has more than once, are not worth the time. */
const MOST_EDITS = 500
/** So that no file makes it go ever deeper. */
const MOST_LEVELS = 20

export interface DiffRow {
  kind: 'same' | 'removed' | 'added' | 'skipped'
  text: string
}

/** With its line break; the last one gets one. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g)?.map((line) => (line.endsWith('\n') ? line : `${line}\n`)) ?? []
}

/** The last one has a line break where one of the sides has it. */
export function joinLines(lines: readonly string[], { ours, theirs }: { ours: string; theirs: string }): string {
  const text = lines.join('')
  return ours.endsWith('\n') || theirs.endsWith('\n') ? text : text.slice(0, -1)
}

export function applyHunks(base: readonly string[], hunks: readonly Hunk[]): string[] {
  let at = 0
  const parts: string[] = []
  for (const { from, to, lines } of hunks) {
    for (const line of base.slice(at, from)) parts.push(line)
    for (const line of lines) parts.push(line)
    at = to
  }
  return [...parts, ...base.slice(at)]
}

/**
 * Additions are as far down as they can be, so that two at the same place are at the same point. null: too large, or too different.
 */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  mostEdits: number = MOST_EDITS,
): Hunk[] | null {
  if (before.length > MOST_LINES || after.length > MOST_LINES) return null
  const pairs = matchLines(before, after, { edits: mostEdits }, 0)
  if (pairs === null) return null
  const hunks: Hunk[] = []
  let [x, y] = [0, 0]
  for (const [toX, toY] of [...pairs, [before.length, after.length] as const]) {
    if (toX > x || toY > y) hunks.push({ from: x, to: toX, lines: after.slice(y, toY) })
    ;[x, y] = [toX + 1, toY + 1]
  }
  return slideDown(before, hunks)
}

/** Where they are too different, everything between the first and the last difference is one change. */
export function changesOf(before: readonly string[], after: readonly string[]): Hunk[] {
  const found = diffLines(before, after)
  if (found !== null) return found
  const { start, end } = sameEnds(before, after)
  return [{ from: start, to: before.length - end, lines: after.slice(start, after.length - end) }]
}

/** The changes with the lines around them. `skipped`: how many lines are left out, as text. */
export function diffRows(before: string, after: string, context = 3): DiffRow[] {
  const [old, fresh] = [before, after].map((text) => text.replace(/\n$/, '').split('\n')) as [string[], string[]]
  const rows: DiffRow[] = []
  let shown = 0
  const add = (kind: DiffRow['kind'], lines: readonly string[]) => rows.push(...lines.map((text) => ({ kind, text })))
  const changes = changesOf(old, fresh)
  for (const [index, { from, to, lines }] of changes.entries()) {
    const start = Math.max(shown, from - context)
    if (start > shown) add('skipped', [String(start - shown)])
    add('same', old.slice(start, from))
    add('removed', old.slice(from, to))
    add('added', lines)
    shown = Math.min(changes[index + 1]?.from ?? old.length, to + context)
    add('same', old.slice(to, shown))
  }
  const left = old.length - shown
  if (changes.length > 0 && left > 0) add('skipped', [String(left)])
  return rows
}

type Pair = readonly [number, number]

/** What is left for all of it together. */
interface Budget {
  edits: number
}

/** Positions of lines that stay. Lines that both have only once come first: blank ones and brackets would match anywhere. */
function matchLines(a: readonly string[], b: readonly string[], budget: Budget, level: number): Pair[] | null {
  const { start, end } = sameEnds(a, b)
  const head = Array.from({ length: start }, (_, at): Pair => [at, at])
  const tail = Array.from({ length: end }, (_, at): Pair => [a.length - end + at, b.length - end + at])
  const [midA, midB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const middle = matchMiddle(midA, midB, budget, level)
  return middle && [...head, ...shift(middle, start, start), ...tail]
}

/** How many lines both begin and end with. */
function sameEnds(a: readonly string[], b: readonly string[]): { start: number; end: number } {
  const shorter = Math.min(a.length, b.length)
  let [start, end] = [0, 0]
  while (start < shorter && a[start] === b[start]) start++
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return { start, end }
}

function shift(pairs: readonly Pair[], x: number, y: number): Pair[] {
  return pairs.map(([a, b]) => [a + x, b + y])
}

function matchMiddle(a: readonly string[], b: readonly string[], budget: Budget, level: number): Pair[] | null {
  if (a.length === 0 || b.length === 0) return []
  const anchors = level < MOST_LEVELS ? risingAnchors(a, b) : []
  if (anchors.length === 0) return commonLines(a, b, budget)
  const pairs: Pair[] = []
  let [x, y] = [0, 0]
  for (const [toX, toY] of [...anchors, [a.length, b.length] as const]) {
    const between = matchLines(a.slice(x, toX), b.slice(y, toY), budget, level + 1)
    if (between === null) return null
    pairs.push(...shift(between, x, y))
    if (toX < a.length) pairs.push([toX, toY])
    ;[x, y] = [toX + 1, toY + 1]
  }
  return pairs
}

/** Lines that are in both exactly once, as many as come in the same order. */
function risingAnchors(a: readonly string[], b: readonly string[]): Pair[] {
  const [inA, inB] = [singles(a), singles(b)]
  const shared = [...inA].flatMap(([line, at]): Pair[] => {
    const other = inB.get(line)
    return other === undefined ? [] : [[at, other]]
  })
  // The longest rising run, by patience sorting: the last card of each pile, and whom each card lies beside.
  const piles: number[] = []
  const previous: number[] = []
  for (const [index, [, at]] of shared.entries()) {
    let [low, high] = [0, piles.length]
    while (low < high) {
      const half = (low + high) >> 1
      if (shared[piles[half]!]![1] < at) low = half + 1
      else high = half
    }
    previous[index] = low === 0 ? -1 : piles[low - 1]!
    piles[low] = index
  }
  const anchors: Pair[] = []
  for (let at = piles.at(-1) ?? -1; at >= 0; at = previous[at]!) anchors.push(shared[at]!)
  return anchors.reverse()
}

function singles(lines: readonly string[]): Map<string, number> {
  const found = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [at, line] of lines.entries())
    if (found.has(line)) repeated.add(line)
    else found.set(line, at)
  for (const line of repeated) found.delete(line)
  return found
}

function slideDown(before: readonly string[], hunks: readonly Hunk[]): Hunk[] {
  return hunks.map((hunk, index) => {
    if (hunk.from !== hunk.to) return hunk
    const limit = hunks[index + 1]?.from ?? before.length
    const { lines } = hunk
    let by = 0
    while (hunk.from + by < limit && before[hunk.from + by] === lines[by % lines.length]) by++
    // Not up to the next one: they would touch.
    if (by > 0 && hunk.from + by === limit && limit < before.length) by--
    const turn = by % lines.length
    return { from: hunk.from + by, to: hunk.from + by, lines: [...lines.slice(turn), ...lines.slice(0, turn)] }
  })
}

/** Positions of lines that both have, by Myers' shortest edit script. null: there are too many edits. */
function commonLines(a: readonly string[], b: readonly string[], budget: Budget): Pair[] | null {
  const rounds: Map<number, number>[] = []
  let furthest = new Map([[1, 0]])
  for (let edits = 0; edits <= Math.min(budget.edits, a.length + b.length); edits++) {
    rounds.push(furthest)
    furthest = new Map(furthest)
    for (let k = -edits; k <= edits; k += 2) {
      const goesDown = k === -edits || (k !== edits && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1))
      let x = goesDown ? furthest.get(k + 1)! : furthest.get(k - 1)! + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      furthest.set(k, x)
      if (x >= a.length && x - k >= b.length) {
        budget.edits -= edits
        return walkBack(rounds, a.length, b.length)
      }
    }
  }
  return null
}

function walkBack(rounds: ReadonlyArray<Map<number, number>>, endX: number, endY: number): Pair[] {
  const pairs: Pair[] = []
  let [x, y] = [endX, endY]
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const furthest = rounds[edits]!
    const k = x - y
    const wentDown = k === -edits || (k !== edits && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1))
    const fromK = wentDown ? k + 1 : k - 1
    const [fromX, fromY] = edits === 0 ? [0, 0] : [furthest.get(fromK)!, furthest.get(fromK)! - fromK]
    while (x > fromX && y > fromY) pairs.push([--x, --y])
    if (edits > 0) [x, y] = [fromX, fromY]
  }
  return pairs.reverse()
}
