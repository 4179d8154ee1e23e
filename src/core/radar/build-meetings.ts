// Meetings as they are shown: which of the files two branches share conflict, in which lines. Pure.
import type { LineRange, Meeting, MeetingFile } from '../../contract/dashboard/radar.ts'
import type { ConflictHunk } from './conflict-hunks.ts'
import type { Candidate, TouchedFiles } from './find-candidates.ts'

export interface MeetingBranch {
  id: string
  files: TouchedFiles
  conflictsWithBase: readonly string[]
  lines: ReadonlyMap<string, LineRange[]>
}

/** What git said about merging the two. null: it has not been tried. */
export interface PairMerge {
  /** Conflicting files with the two sides, where git writes them into the file. */
  conflicts: ReadonlyMap<string, ConflictHunk[]>
  /** Those of them that the train solves by its rules. */
  solved?: ReadonlySet<string> | undefined
}

/** Files in conflict that need somebody. */
export function openConflicts(merge: PairMerge | null | undefined): string[] {
  return [...(merge?.conflicts.keys() ?? [])].filter((path) => !merge?.solved?.has(path))
}

/** More files than anyone reads; they are counted. */
const MOST_FILES = 20

/** null: they do not meet after all. Their directories were in question, and git merges them. */
export function buildMeeting(
  { shared }: Pick<Candidate, 'shared'>,
  [a, b]: readonly [MeetingBranch, MeetingBranch],
  merge: PairMerge | null,
): Meeting | null {
  const conflicts = openConflicts(merge).filter((path) => isTheirs(path, a, b))
  const solved = [...(merge?.solved ?? [])].filter((path) => isTheirs(path, a, b))
  if (conflicts.length + solved.length === 0 && shared.length === 0) return null
  const [isConflict, isSolved] = [new Set(conflicts), new Set(solved)]
  const clean = shared.filter((path) => !isConflict.has(path) && !isSolved.has(path))
  const paths = [...conflicts.sort(), ...solved.sort(), ...clean]
  const kind = merge === null ? 'unknown' : conflicts.length > 0 ? 'conflict' : solved.length > 0 ? 'solved' : 'clean'
  const files = paths.slice(0, MOST_FILES).map((path): MeetingFile => {
    const hunks = merge?.conflicts.get(path) ?? []
    const marks = { conflict: isConflict.has(path), solved: isSolved.has(path) }
    return { path, ...marks, a: sideOf(a, path), b: sideOf(b, path), hunks: marks.solved ? [] : hunks }
  })
  const more = paths.length - files.length
  return { a: a.id, b: b.id, kind, files, more, fingerprint: fingerprintOf(kind, files, more) }
}

/**
 * Merging a branch that is behind also merges what the base branch has gained. A conflict in that part is between the
 * branch and its base, and it is reported there.
 */
function isTheirs(path: string, a: MeetingBranch, b: MeetingBranch): boolean {
  if (a.files.has(path) && b.files.has(path)) return true
  if (a.conflictsWithBase.includes(path) || b.conflictsWithBase.includes(path)) return false
  return a.files.has(path) || b.files.has(path)
}

function sideOf(branch: MeetingBranch, path: string): MeetingFile['a'] {
  return { change: branch.files.get(path)?.change ?? null, lines: branch.lines.get(path) ?? [] }
}

/** Of what conflicts; for the others, of the files. Content elsewhere in the branches does not count. */
function fingerprintOf(kind: Meeting['kind'], files: MeetingFile[], more: number): string {
  const relevant = kind === 'conflict' ? files.filter(({ conflict }) => conflict) : files
  const parts = relevant.map(({ path, hunks, a, b }) => [
    path,
    a.change,
    b.change,
    ...hunks.flatMap((hunk) => [hunk.a, hunk.b]),
  ])
  return `${kind} ${digest(JSON.stringify([parts, more]))}`
}

/** FNV-1a with 53 bits in two halves: only for telling versions of one collision apart. */
function digest(text: string): string {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193) >>> 0
    high = Math.imul(high ^ (code + (low & 0xff)), 0x85ebca6b) >>> 0
  }
  return low.toString(16).padStart(8, '0') + high.toString(16).padStart(8, '0')
}

const ORDER: Record<Meeting['kind'], number> = { conflict: 0, unknown: 1, solved: 2, clean: 3 }

/** Conflicts first, then what is unknown, then what rules solve, then what merges. */
export function sortMeetings(meetings: Meeting[]): Meeting[] {
  return [...meetings].sort((x, y) => ORDER[x.kind] - ORDER[y.kind])
}
