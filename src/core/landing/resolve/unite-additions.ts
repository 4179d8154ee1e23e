// What both sides added at the same place of a source file, as whole blocks one after the other: two functions, two branches of a
// switch, two names in one list. git cannot say which comes first, and whoever keeps both sides of its conflict mixes the blocks,
// because git keeps lines that both have in common once. Pure.
import { applyHunks, diffLines, type Hunk, joinLines, linesOf } from '../../text/diff-lines.ts'

interface Change extends Hunk {
  /** One line, to which something was added. */
  grew: boolean
}

/** The base branch's come first, unless they belong further out. null: a line that one side changed or removed is beside the other's. */
export function uniteAdditions(common: string, ours: string, theirs: string): string | null {
  const [base, one, other] = [common, ours, theirs].map(linesOf) as [string[], string[], string[]]
  const sides = [one, other].map((lines) => diffLines(base, lines)?.flatMap((hunk) => splitHunk(base, hunk)))
  const [left, right] = sides
  const merged = left && right && unite(left, right, (a, b) => uniteLine(base[a.from]!, a, b))
  return merged ? joinLines(applyHunks(base, merged), { ours, theirs }) : null
}

type UniteGrown = (a: Change, b: Change) => Change | null

function unite(left: readonly Change[], right: readonly Change[], uniteGrown: UniteGrown): Change[] | null {
  const merged: Change[] = []
  for (let [x, y] = [0, 0]; x < left.length || y < right.length; ) {
    const [a, b] = [left[x], right[y]]
    if (a && b && meets(a, b)) {
      const both = uniteChanges(a, b, uniteGrown)
      if (both === null) return null
      merged.push(both)
      x++
      y++
    } else if (b === undefined || (a !== undefined && comesBefore(a, b))) {
      merged.push(a!)
      x++
    } else {
      merged.push(b)
      y++
    }
  }
  return merged
}

/** What is added in front of a line comes before it. */
function comesBefore(a: Hunk, b: Hunk): boolean {
  return a.from < b.from || (a.from === b.from && a.to < b.to)
}

function isAddition({ from, to }: Hunk): boolean {
  return from === to
}

/** They overlap, are added at one point, or touch. A line that merely grew still is the line that it was: one may touch it. */
function meets(a: Change, b: Change): boolean {
  if (isAddition(a) && isAddition(b)) return a.from === b.from
  if (a.from < b.to && b.from < a.to) return true
  return a.from <= b.to && b.from <= a.to && !a.grew && !b.grew
}

function uniteChanges(a: Change, b: Change, uniteGrown: UniteGrown): Change | null {
  const { from, to } = a
  const isSamePart = from === b.from && to === b.to
  if (isSamePart && a.lines.join('') === b.lines.join('')) return a
  if (isSamePart && a.grew && b.grew) return uniteGrown(a, b)
  if (!isAddition(a) || !isAddition(b)) return null
  if (contains(a.lines, b.lines)) return a
  if (contains(b.lines, a.lines)) return b
  const [first, second] = depthOf(a.lines) >= depthOf(b.lines) ? [a, b] : [b, a]
  return { from, to, lines: [...first.lines, ...second.lines], grew: false }
}

/** A longer part is a block of its own, whatever else there is. */
const LONGEST_PART = 200

/** All of it is there already, in one piece and as far out: both sides added the same import. Inside a block it is another statement. */
function contains(all: readonly string[], part: readonly string[]): boolean {
  if (part.length > LONGEST_PART || depthOf(part) > depthOf(all)) return false
  for (let at = 0; at + part.length <= all.length; at++)
    if (part.every((line, index) => all[at + index] === line)) return true
  return false
}

/** How far inside its outermost line is. Statements at the end of a function go before a function that follows it. */
function depthOf(lines: readonly string[]): number {
  return lines.reduce((least, line) => {
    return line.trim() === '' ? least : Math.min(least, /^[ \t]*/.exec(line)![0].length)
  }, Number.POSITIVE_INFINITY)
}

/** Where more changed, it was rewritten. */
const MOST_GROWN = 10
const MOST_BESIDE = 50

/** Lines that merely grew, and what was added between them, each by itself. The hunk as it is where something was changed. */
function splitHunk(base: readonly string[], hunk: Hunk): Change[] {
  const { from, to, lines } = hunk
  const whole = [{ ...hunk, grew: false }]
  if (from === to || to - from > MOST_GROWN || lines.length > MOST_BESIDE) return whole
  const parts: Change[] = []
  let next = 0
  for (let at = from; at < to; at++) {
    const found = lines.findIndex((line, index) => index >= next && growth(base[at]!, line) !== null)
    if (found === -1) return whole
    if (found > next) parts.push({ from: at, to: at, lines: lines.slice(next, found), grew: false })
    parts.push({ from: at, to: at + 1, lines: [lines[found]!], grew: true })
    next = found + 1
  }
  if (next < lines.length) parts.push({ from: to, to, lines: lines.slice(next), grew: false })
  return parts
}

function uniteLine(before: string, a: Change, b: Change): Change | null {
  const [left, right] = [growth(before, a.lines[0]!), growth(before, b.lines[0]!)]
  const merged = left && right && unite(left, right, () => null)
  return merged && { ...a, lines: [applyHunks(tokensOf(before), merged).join('')] }
}

/** Entries that were added to a list in one line. null: it was changed in another way. */
function growth(before: string, after: string): Change[] | null {
  if (after.length <= before.length || after.length > LONGEST_LINE) return null
  const hunks = diffLines(tokensOf(before), tokensOf(after), MOST_TOKENS)
  if (!hunks?.every((hunk) => isAddition(hunk) && isEntry(hunk.lines))) return null
  return hunks.map((hunk) => ({ ...hunk, grew: false }))
}

const LONGEST_LINE = 500
const MOST_TOKENS = 60

function tokensOf(line: string): string[] {
  return line.match(/\s+|\w+|[^\w\s]/gu) ?? []
}

/** Anything else, such as another condition of an `if`, means something else beside another one. */
function isEntry(tokens: readonly string[]): boolean {
  const visible = tokens.filter((token) => token.trim() !== '')
  return visible[0] === ',' || visible.at(-1) === ','
}
