// How much a unified diff changes. Pure.

export interface DiffSize {
  files: number
  added: number
  removed: number
}

/** By the numbers of each hunk: a line that begins like a header may be part of a file. */
export function countDiff(diff: string): DiffSize {
  const size = { files: 0, added: 0, removed: 0 }
  let before = 0
  let after = 0
  for (const line of diff.split('\n')) {
    if (before > 0 || after > 0) {
      const mark = line[0]
      if (mark === '+') size.added += 1
      if (mark === '-') size.removed += 1
      if (mark !== '+' && mark !== '\\') before -= 1
      if (mark !== '-' && mark !== '\\') after -= 1
      continue
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (hunk) {
      before = Number(hunk[1] ?? 1)
      after = Number(hunk[2] ?? 1)
    } else if (line.startsWith('diff --git ')) size.files += 1
  }
  return size
}
