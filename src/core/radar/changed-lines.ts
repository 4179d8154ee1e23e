// Which lines a patch without context changes, by file. Pure.
import type { LineRange } from '../../contract/dashboard/radar.ts'

const MOST_RANGES = 50
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+/

/** `patch`: git's own format with prefixes a/ and b/, of one comparison. Paths as git quotes them. */
export function readChangedLines(patch: string): Map<string, LineRange[]> {
  const byPath = new Map<string, LineRange[]>()
  let ranges: LineRange[] | null = null
  let isHeader = false
  let before: string | null = null
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) {
      isHeader = true
      ranges = null
      before = null
    } else if (isHeader && line.startsWith('--- ')) {
      before = pathOf(line, 'a/')
    } else if (isHeader && line.startsWith('+++ ')) {
      const path = pathOf(line, 'b/') ?? before
      ranges = []
      if (path !== null) byPath.set(path, ranges)
      isHeader = false
    } else if (line.startsWith('@@ ') && ranges !== null && ranges.length < MOST_RANGES) {
      const range = rangeOf(line)
      if (range) ranges.push(range)
    }
  }
  return byPath
}

/** null: /dev/null. git ends a name with spaces in it with a tab. */
function pathOf(line: string, prefix: string): string | null {
  const name = line.slice(4).replace(/\t$/, '')
  return name.startsWith(prefix) ? name.slice(prefix.length) : null
}

/** An insertion changes no line; it is shown at the line after which it is made. */
function rangeOf(line: string): LineRange | null {
  const match = HUNK.exec(line)
  if (!match) return null
  const start = Number(match[1])
  const count = match[2] === undefined ? 1 : Number(match[2])
  return [start, start + Math.max(1, count) - 1]
}
