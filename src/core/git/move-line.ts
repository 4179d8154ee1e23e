// Where a line of an older commit is in a newer one, from git's diff of the two without context. Pure.
import { unquoteGitPath } from './unquote-git-path.ts'

interface Hunk {
  oldEnd: number
  oldStart: number
  newEnd: number
}

export interface FileMoves {
  /** null: the file is gone. */
  path: string | null
  hunks: Hunk[]
}

/** By the path in the older commit; a file that is not listed has not changed. */
export function parseLineMoves(diff: string): Map<string, FileMoves> {
  const files = new Map<string, FileMoves>()
  let oldPath: string | null = null
  let file: FileMoves | null = null
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) {
      oldPath = null
      file = null
    } else if (line.startsWith('rename from ')) oldPath = unquoteGitPath(line.slice(12))
    else if (line.startsWith('rename to ') && oldPath !== null) {
      file = { path: unquoteGitPath(line.slice(10)), hunks: [] }
      files.set(oldPath, file)
    } else if (file === null && line.startsWith('--- ')) oldPath = sidePath(line.slice(4))
    else if (file === null && line.startsWith('+++ ') && oldPath !== null) {
      file = { path: sidePath(line.slice(4)), hunks: [] }
      files.set(oldPath, file)
    } else if (file !== null && line.startsWith('@@ ')) {
      const hunk = parseHunk(line)
      if (hunk !== null) file.hunks.push(hunk)
    }
  }
  return files
}

/** null: the line itself was changed or removed. */
export function moveLine({ hunks }: FileMoves, line: number): number | null {
  let offset = 0
  for (const { oldStart, oldEnd, newEnd } of hunks) {
    if (line < oldStart) break
    if (line < oldEnd) return null
    offset = newEnd - oldEnd
  }
  return line + offset
}

function sidePath(text: string): string | null {
  // git terminates a name that contains a space with a tab.
  const path = unquoteGitPath(text.replace(/\t$/, ''))
  return path === '/dev/null' ? null : path.slice(2)
}

function parseHunk(line: string): Hunk | null {
  const match = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line)
  if (match === null) return null
  const [oldStart, oldCount, newStart, newCount] = [match[1], match[2] ?? '1', match[3], match[4] ?? '1'].map(Number)
  // A side without lines of its own names the line before.
  const begin = (start: number, count: number) => (count === 0 ? start + 1 : start)
  const from = begin(oldStart!, oldCount!)
  return { oldStart: from, oldEnd: from + oldCount!, newEnd: begin(newStart!, newCount!) + newCount! }
}
