// What differs between two texts, line by line. For texts of people's size, such as a configuration.

/** Lines `from` to `to` of the first text are replaced by lines `otherFrom` to `otherTo` of the second; ends excluded. */
export interface LineChange {
  from: number
  to: number
  otherFrom: number
  otherTo: number
}

export interface DiffRow {
  kind: 'same' | 'removed' | 'added' | 'skipped'
  text: string
}

/** Beyond this many pairs of lines, what lies between the first and the last difference counts as one change. */
const MOST_PAIRS = 4_000_000

export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let [end, otherEnd] = [before.length, after.length]
  while (end > start && otherEnd > start && before[end - 1] === after[otherEnd - 1]) {
    end--
    otherEnd--
  }
  if (end === start && otherEnd === start) return []
  if ((end - start) * (otherEnd - start) > MOST_PAIRS)
    return [{ from: start, to: end, otherFrom: start, otherTo: otherEnd }]
  return changesBetween(before.slice(start, end), after.slice(start, otherEnd)).map((change) => ({
    from: change.from + start,
    to: change.to + start,
    otherFrom: change.otherFrom + start,
    otherTo: change.otherTo + start,
  }))
}

function changesBetween(before: readonly string[], after: readonly string[]): LineChange[] {
  const lengths = commonLengths(before, after)
  const width = after.length + 1
  const changes: LineChange[] = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      row++
      column++
      continue
    }
    const open = { from: row, otherFrom: column }
    while (!(row < before.length && column < after.length && before[row] === after[column])) {
      if (row === before.length && column === after.length) break
      const isRemoval =
        row < before.length &&
        (column === after.length || lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!)
      if (isRemoval) row++
      else column++
    }
    changes.push({ ...open, to: row, otherTo: column })
  }
  return changes
}

/** How many lines the rests of both have in common, from each pair of positions on. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        before[row] === after[column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!)
    }
  }
  return lengths
}

/** The changes with the lines around them. `skipped`: how many lines are left out, as text. */
export function diffRows(before: string, after: string, context = 3): DiffRow[] {
  const [old, fresh] = [before, after].map((text) => text.replace(/\n$/, '').split('\n')) as [string[], string[]]
  const rows: DiffRow[] = []
  let shown = 0
  const same = (from: number, to: number) => old.slice(from, to).map((text): DiffRow => ({ kind: 'same', text }))
  const changes = diffLines(old, fresh)
  for (const [index, { from, to, otherFrom, otherTo }] of changes.entries()) {
    const start = Math.max(shown, from - context)
    if (start > shown) rows.push({ kind: 'skipped', text: String(start - shown) })
    rows.push(...same(start, from))
    rows.push(...old.slice(from, to).map((text): DiffRow => ({ kind: 'removed', text })))
    rows.push(...fresh.slice(otherFrom, otherTo).map((text): DiffRow => ({ kind: 'added', text })))
    shown = Math.min(changes[index + 1]?.from ?? old.length, to + context)
    rows.push(...same(to, shown))
  }
  const left = old.length - shown
  if (changes.length > 0 && left > 0) rows.push({ kind: 'skipped', text: String(left) })
  return rows
}
