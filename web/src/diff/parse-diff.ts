// Parses a unified diff as git writes it. Lines are counted as each hunk's header says, so that nothing inside a file can
// be taken for a header. Pure.
import { unquoteGitPath } from '../../../src/core/git/unquote-git-path.ts'

export type LineKind = 'same' | 'added' | 'removed'

export interface DiffLine {
  kind: LineKind
  text: string
  /** null: the line is not on this side. */
  oldLine: number | null
  newLine: number | null
  /** The file ends here without a line break. */
  noNewline?: boolean
}

export interface DiffHunk {
  /** What git found above it: usually the function. */
  heading: string
  oldStart: number
  newStart: number
  lines: DiffLine[]
}

export interface DiffFile {
  /** Its current path; for a deleted file the former one. */
  path: string
  oldPath: string
  change: 'added' | 'deleted' | 'renamed' | 'copied' | 'modified'
  isBinary: boolean
  modeChange: string | null
  hunks: DiffHunk[]
  added: number
  removed: number
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

export function parseDiff(diff: string): DiffFile[] {
  const lines = diff.split('\n')
  const files: DiffFile[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    const file = files.at(-1)
    const hunk = file && HUNK.exec(line)
    if (line.startsWith('diff --git ')) files.push(startFile(line))
    else if (hunk) at = readHunk(lines, at, hunk, file)
    else if (file) readHeading(file, line)
    at += 1
  }
  return files
}

function startFile(line: string): DiffFile {
  const path = sharedPath(line.slice('diff --git '.length))
  return { path, oldPath: path, change: 'modified', isBinary: false, modeChange: null, hunks: [], added: 0, removed: 0 }
}

/** `a/x b/x`: both halves name the same file unless it was renamed, and then the lines below say how. */
function sharedPath(names: string): string {
  if (names.startsWith('"')) return stripSide(unquoteGitPath(/^"(?:\\.|[^"\\])*"/.exec(names)?.[0] ?? names))
  return stripSide(names.slice(0, (names.length - 1) / 2))
}

function readHeading(file: DiffFile, line: string): void {
  const [word, rest] = splitHeading(line)
  if (word === 'new file mode') file.change = 'added'
  if (word === 'deleted file mode') file.change = 'deleted'
  if (word === 'old mode') file.modeChange = rest
  if (word === 'new mode') file.modeChange = `${file.modeChange} → ${rest}`
  if (word === 'rename from' || word === 'copy from') file.oldPath = unquoteGitPath(rest)
  if (word === 'rename to' || word === 'copy to') {
    file.path = unquoteGitPath(rest)
    file.change = word === 'copy to' ? 'copied' : 'renamed'
  }
  // A path with a space in it is followed by a tab.
  const name = rest.replace(/\t$/, '')
  if (word === '---' && name !== '/dev/null') file.oldPath = stripSide(unquoteGitPath(name))
  if (word === '+++' && name !== '/dev/null') file.path = stripSide(unquoteGitPath(name))
  if (word === 'Binary files' || word === 'GIT binary patch') file.isBinary = true
}

const HEADINGS = [
  'new file mode',
  'deleted file mode',
  'old mode',
  'new mode',
  'rename from',
  'rename to',
  'copy from',
  'copy to',
  '---',
  '+++',
  'Binary files',
  'GIT binary patch',
]

function splitHeading(line: string): [word: string, rest: string] {
  const word = HEADINGS.find((one) => line === one || line.startsWith(`${one} `))
  return word === undefined ? ['', ''] : [word, line.slice(word.length + 1)]
}

function stripSide(path: string): string {
  return path.replace(/^[abciow]\//, '')
}

/** Returns the index of its last line. */
function readHunk(lines: string[], at: number, heading: RegExpExecArray, file: DiffFile): number {
  let oldLine = Number(heading[1])
  let newLine = Number(heading[3])
  const oldEnd = oldLine + Number(heading[2] ?? 1)
  const newEnd = newLine + Number(heading[4] ?? 1)
  const hunk: DiffHunk = { heading: heading[5]!, oldStart: oldLine, newStart: newLine, lines: [] }
  file.hunks.push(hunk)
  let next = at + 1
  for (; next < lines.length && (oldLine < oldEnd || newLine < newEnd); next += 1) {
    const mark = lines[next]![0]
    const text = lines[next]!.slice(1)
    if (mark === '\\') markNoNewline(hunk)
    else if (mark === '+') hunk.lines.push({ kind: 'added', text, oldLine: null, newLine: newLine++ })
    else if (mark === '-') hunk.lines.push({ kind: 'removed', text, oldLine: oldLine++, newLine: null })
    else if (mark === ' ' || mark === undefined)
      hunk.lines.push({ kind: 'same', text, oldLine: oldLine++, newLine: newLine++ })
    // It was cut off here: what follows is something else.
    else break
  }
  if (lines[next]?.startsWith('\\')) {
    markNoNewline(hunk)
    next += 1
  }
  file.added += hunk.lines.filter((line) => line.kind === 'added').length
  file.removed += hunk.lines.filter((line) => line.kind === 'removed').length
  return next - 1
}

function markNoNewline(hunk: DiffHunk): void {
  const last = hunk.lines.at(-1)
  if (last) last.noNewline = true
}

export interface SideBySide {
  left: DiffLine | null
  right: DiffLine | null
}

/** Removed lines are shown next to the added ones that follow them. */
export function pairLines(lines: readonly DiffLine[]): SideBySide[] {
  const rows: SideBySide[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      rows.push({ left: removed[index] ?? null, right: added[index] ?? null })
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed' && added.length > 0) flush()
    if (line.kind === 'removed') removed.push(line)
    if (line.kind === 'added') added.push(line)
    if (line.kind !== 'same') continue
    flush()
    rows.push({ left: line, right: line })
  }
  flush()
  return rows
}
