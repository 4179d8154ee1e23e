// One hunk of a change becomes what it was before. Pure.

/** As in the head of a hunk: lines are counted from 1, and an empty side names the line before it. */
export interface HunkRange {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
}

/** null: there are no such lines. */
export function takeBack(before: string, after: string, hunk: HunkRange): string | null {
  const old = cut(before, hunk.oldStart, hunk.oldLines)
  const now = cut(after, hunk.newStart, hunk.newLines)
  return old && now && now.head + old.middle + now.tail
}

function cut(text: string, start: number, count: number): { head: string; middle: string; tail: string } | null {
  // With their ends: a file may have no last line break, or others than its neighbours.
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const from = count === 0 ? start : start - 1
  if (![start, count].every(Number.isSafeInteger) || from < 0 || count < 0 || from + count > lines.length) return null
  const part = (a: number, b?: number) => lines.slice(a, b).join('')
  return { head: part(0, from), middle: part(from, from + count), tail: part(from + count) }
}
