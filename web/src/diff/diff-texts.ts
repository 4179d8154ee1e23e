// A diff of two texts in git's format, for what agents report as changed. Pure.

const CONTEXT = 3
/** Comparing every line with every other is fast up to here; beyond it the changed part is shown as replaced. */
const MOST_COMPARISONS = 1_000_000

export function diffTexts(path: string, oldText: string | null, newText: string): string {
  const before = oldText === null ? [] : toLines(oldText)
  const after = toLines(newText)
  const start = commonStart(before, after)
  const end = commonStart(before.slice(start).reverse(), after.slice(start).reverse())
  const from = Math.max(0, start - CONTEXT)
  const oldTo = Math.min(before.length, before.length - end + CONTEXT)
  const newTo = Math.min(after.length, after.length - end + CONTEXT)
  const name = path.replaceAll(/[\n\r\t"]/g, ' ')
  return [
    `diff --git a/${name} b/${name}`,
    ...(oldText === null ? ['new file mode 100644'] : []),
    `@@ -${from + 1},${oldTo - from} +${from + 1},${newTo - from} @@`,
    ...before.slice(from, start).map((line) => ` ${line}`),
    ...changedLines(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end, oldTo).map((line) => ` ${line}`),
  ].join('\n')
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let same = 0
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1
  return same
}

function changedLines(before: readonly string[], after: readonly string[]): string[] {
  if (before.length * after.length > MOST_COMPARISONS)
    return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]
  const kept = longestCommon(before, after)
  const lines: string[] = []
  let old = 0
  let fresh = 0
  while (old < before.length || fresh < after.length) {
    if (old < before.length && fresh < after.length && before[old] === after[fresh]) {
      lines.push(` ${before[old]}`)
      old += 1
      fresh += 1
    } else if (old < before.length && kept[old + 1]![fresh]! >= (kept[old]![fresh + 1] ?? -1)) {
      lines.push(`-${before[old]}`)
      old += 1
    } else {
      lines.push(`+${after[fresh]}`)
      fresh += 1
    }
  }
  return lines
}

/** How many lines the rests have in common, for every pair of rests. */
function longestCommon(before: readonly string[], after: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let old = before.length - 1; old >= 0; old -= 1) {
    for (let fresh = after.length - 1; fresh >= 0; fresh -= 1) {
      table[old]![fresh] =
        before[old] === after[fresh]
          ? table[old + 1]![fresh + 1]! + 1
          : Math.max(table[old + 1]![fresh]!, table[old]![fresh + 1]!)
    }
  }
  return table
}
